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
  package static func ofThisProcess(_ files: SystemFiles = .ofThisMachine) -> ControlGroup {
    let text = files.text("/proc/self/cgroup") ?? ""
    return locate(in: text) { files.exists($0) }
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

  /// A limit on the group's CPU time, and the group that has it.
  package struct Limit: Hashable, Sendable {
    /// CPUs' worth of time that may be used.
    package var quota: Double
    /// Folder of the group, which may be one that this one is inside of.
    package var folder: String
  }

  /// The tightest limit of the group and those that it is inside of; nil without any.
  package func limit(_ files: SystemFiles) -> Limit? {
    levels(files).compactMap { folder in
      quota(of: folder, files).map { Limit(quota: $0, folder: folder) }
    }.min { $0.quota < $1.quota }
  }

  /// How often a limit stopped the group so far, or one that it is inside of; nil when the kernel
  /// does not count it.
  package func throttledPeriods(_ files: SystemFiles = .ofThisMachine) -> Int64? {
    let counts = levels(files).compactMap { folder in
      files.text(folder + "/cpu.stat", limit: 4096).flatMap {
        MachineFacts.value(of: "nr_throttled", separator: " ", in: $0)
      }.flatMap { Int64($0) }
    }
    return counts.isEmpty ? nil : counts.reduce(0, +)
  }

  /// The files that would say what the limit is.
  package var limitPaths: [String] {
    version == .one ? ["\(folder)/cpu.cfs_quota_us"] : ["\(folder)/cpu.max"]
  }

  /// Folders of the group and of all that it is inside of, as far as they can be seen.
  private func levels(_ files: SystemFiles) -> [String] {
    var levels: [String] = []
    var level = folder
    while files.exists(level + "/cpu.stat") {
      levels.append(level)
      guard let slash = level.lastIndex(of: "/") else { break }
      level = String(level[..<slash])
    }
    return levels
  }

  private func quota(of folder: String, _ files: SystemFiles) -> Double? {
    switch version {
    case .one:
      guard let quota = files.number(folder + "/cpu.cfs_quota_us"), quota > 0,
        let period = files.number(folder + "/cpu.cfs_period_us"), period > 0
      else { return nil }
      return Double(quota) / Double(period)
    case .two:
      let fields = (files.line(folder + "/cpu.max") ?? "").split(separator: " ")
      guard fields.count == 2, let quota = Double(fields[0]), let period = Double(fields[1]),
        period > 0
      else { return nil }
      return quota / period
    }
  }
}
