// SPDX-License-Identifier: Apache-2.0

/// The control group that may limit this process's CPU time, version 1 or 2.
package struct ControlGroup: Hashable, Sendable {
  /// How the group's files are laid out.
  package enum Version: Int, Sendable {
    /// One hierarchy per controller.
    case one = 1
    /// One hierarchy for all.
    case two = 2
  }

  /// The layout that has the CPU controller.
  package let version: Version
  /// The group's folder.
  package let folder: String

  /// The group of this process; in a container, whose paths lie outside its own view, the topmost
  /// visible group.
  package static func ofThisProcess() -> ControlGroup {
    let text = SystemFile.text("/proc/self/cgroup") ?? ""
    return locate(in: text) { SystemFile.isReadable($0) }
  }

  /// The group that the text of /proc/self/cgroup names, with `exists` saying which files there
  /// are.
  static func locate(in text: String, exists: (String) -> Bool) -> ControlGroup {
    var unified = "/"
    var cpu: String?
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      if parts[0] == "0", parts[1].isEmpty { unified = String(parts[2]) }
      if parts[1].split(separator: ",").contains("cpu") { cpu = String(parts[2]) }
    }
    if let cpu {
      for root in ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"] {
        for folder in [root + cpu, root] where exists(folder + "/cpu.stat") {
          return ControlGroup(version: .one, folder: folder)
        }
      }
    }
    for folder in ["/sys/fs/cgroup" + unified, "/sys/fs/cgroup"] where exists(folder + "/cpu.stat")
    {
      return ControlGroup(version: .two, folder: folder)
    }
    return ControlGroup(version: .two, folder: "/sys/fs/cgroup")
  }

  /// CPUs' worth of time that the group may use; nil without a limit.
  package func quota() -> Double? {
    switch version {
    case .one:
      guard let quota = SystemFile.number(folder + "/cpu.cfs_quota_us"), quota > 0,
        let period = SystemFile.number(folder + "/cpu.cfs_period_us"), period > 0
      else { return nil }
      return Double(quota) / Double(period)
    case .two:
      let fields = (SystemFile.line(folder + "/cpu.max") ?? "").split(separator: " ")
      guard fields.count == 2, let quota = Double(fields[0]), let period = Double(fields[1]),
        period > 0
      else { return nil }
      return quota / period
    }
  }

  /// How often the limit stopped the group so far; nil when the kernel does not count it.
  package func throttledPeriods() -> Int64? {
    guard let text = SystemFile.text(folder + "/cpu.stat", limit: 4096) else { return nil }
    for line in text.split(separator: "\n") where line.hasPrefix("nr_throttled ") {
      return Int64(line.dropFirst("nr_throttled ".count))
    }
    return nil
  }
}
