// SPDX-License-Identifier: Apache-2.0

// What `doctor` looks at to see who else uses the CPUs, and who limits their use.

extension EnvironmentProbe {
  func quotaCheck() -> Check {
    let group = facts.controlGroup
    guard let limit = facts.limit else {
      if facts.files.refusal(of: group.limitPaths) == nil,
        group.limitPaths.contains(where: facts.files.isReadable)
      {
        return Check("CPU quota", "none for \(group.folder)")
      }
      return Check(
        "CPU quota", missing: group.limitPaths, in: facts.files,
        why: "no control group with a CPU limit that can be seen from here")
    }
    let value = "\(decimal(limit.quota, digits: 2)) CPUs (\(limit.folder))"
    guard limit.quota < Double(facts.usableThreads) else { return Check("CPU quota", value) }
    let finding = Finding(
      .warning, "CPU time is limited",
      found: "the control group may use \(decimal(limit.quota, digits: 2)) of "
        + "\(facts.usableThreads) CPUs",
      consequence: "whoever uses it up is stopped for tens of milliseconds",
      remedy: group.version == .two
        ? "echo max | sudo tee \(limit.folder)/cpu.max"
        : "echo -1 | sudo tee \(limit.folder)/cpu.cfs_quota_us")
    return Check("CPU quota", value, findings: [finding])
  }

  func throttlingCheck(_ after: LoadReading) -> Check {
    guard let times = after.throttledPeriods else {
      return Check(
        "throttling", missing: [facts.controlGroup.folder + "/cpu.stat"], in: facts.files,
        why: "no control group that counts it can be seen from here")
    }
    let value = "stopped \(times) times"
    guard times > 0 else { return Check("throttling", value) }
    let now = times - (before.throttledPeriods ?? times)
    let finding = Finding(
      now > 0 ? .warning : .note, "the CPU quota was used up",
      found: "the control group was stopped \(times) times since it was made"
        + (now > 0 ? ", \(now) of them while doctor looked" : ""),
      consequence: "whatever is measured then takes tens of milliseconds longer",
      remedy: facts.limit.map { "raise the limit of \($0.folder), or measure with fewer workers" }
        ?? "measure with fewer workers, or outside of the container")
    return Check("throttling", value, findings: [finding])
  }

  func loadCheck() -> Check {
    guard let load = before.load else {
      return Check("load", missing: ["/proc/loadavg"], in: facts.files, why: "no /proc/loadavg")
    }
    let value =
      "\(decimal(load, digits: 2)), \(before.otherRunnable ?? 0) other threads runnable"
    guard isLoaded else { return Check("load", value) }
    let finding = Finding(
      .warning, "other programs are running", found: "load \(value)",
      consequence: "they take CPU time from the workers, at random",
      remedy: Self.whoIsBusy)
    return Check("load", value, findings: [finding])
  }

  func pressureCheck() -> Check {
    let path = "/proc/pressure/cpu"
    guard let percent = before.pressurePercent else {
      return Check(
        "pressure", missing: [path], in: facts.files,
        why: "the kernel does not count how long threads wait for CPUs")
    }
    let value = "some thread waited for a CPU in \(decimal(percent, digits: 1)) % of the last 10 s"
    guard doubtfulPressure != nil else { return Check("pressure", value) }
    let finding = Finding(
      .warning, "threads queue for CPUs", found: value,
      consequence: "the workers will wait too", remedy: Self.whoIsBusy)
    return Check("pressure", value, findings: [finding])
  }

  func stealCheck(_ after: LoadReading) -> Check {
    guard let steal = after.stealTicks, let all = after.allTicks, all > 0 else {
      return Check("steal", missing: ["/proc/stat"], in: facts.files, why: "not in /proc/stat")
    }
    let share = Double(steal) / Double(all)
    let value =
      "the host kept \(decimal(share * 100, digits: 1)) % of the CPU time since the "
      + "machine started"
    guard let virtual = facts.hypervisor ?? (share > 0 ? "an unknown hypervisor" : nil) else {
      return Check("steal", "no hypervisor")
    }
    let finding = Finding(
      share > Self.mostSteal ? .warning : .note, "virtual machine",
      found: "a guest of \(virtual); \(value)",
      consequence: "stolen time and the host's own scheduling are inside every figure",
      remedy: "measure on a dedicated host; here take more rounds, such as --processes 20")
    return Check("steal", value, findings: [finding])
  }

  private static let whoIsBusy = "ps -eo pcpu,pid,args --sort=-pcpu | head"
}
