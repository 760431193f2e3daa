// SPDX-License-Identifier: Apache-2.0

internal import Harness

// What `doctor` looks at on the processors that this process may use.

extension EnvironmentProbe {
  func processorCheck() -> Check {
    guard facts.usableThreads >= 2 else {
      let finding = Finding(
        .warning, "one CPU", found: "this process may use \(facts.affinity ?? "one CPU")",
        consequence: "several workers take turns; scaling cannot be seen",
        remedy: "taskset -cp 0-\(max(1, (facts.threads ?? 2) - 1)) $$, or a machine with more CPUs")
      return Check("processors", "one", findings: [finding])
    }
    let value = "\(facts.usableThreads) (\(facts.affinity ?? "which ones the kernel does not say"))"
    guard let speedup = doubtfulSpeedup else { return Check("processors", value) }
    let finding = Finding(
      .warning, "two threads are not two CPUs",
      found: "two spinning threads did \(decimal(speedup, digits: 2)) times the work of one",
      consequence: "figures for two and more workers are those of a machine that has "
        + "\(decimal(speedup, digits: 2)) CPUs; the two may be siblings of one core, or shared "
        + "with others",
      remedy: "run when the host is quiet, or choose CPUs of different cores: lscpu -e, then "
        + "taskset -c A,B bench")
    return Check("processors", value, findings: [finding])
  }

  func siblingCheck() -> Check {
    let subject = "core siblings"
    guard !facts.siblings.isEmpty else {
      let paths =
        facts.usable.map(MachineFacts.siblingsPath) + ["/sys/devices/system/cpu/smt/active"]
      return Check(subject, missing: paths, in: facts.files, why: "no topology in /sys")
    }
    let usable = Set(facts.usable)
    // One member of each core that the process may use, in order.
    var cores: [[Int]] = []
    for thread in facts.usable {
      let members = facts.siblings[thread] ?? [thread]
      if !cores.contains(where: { $0.contains(thread) }) { cores.append(members) }
    }
    let shared = cores.map { $0.filter(usable.contains) }.filter { $0.count > 1 }
    if !shared.isEmpty {
      let groups = shared.map { "\(Self.list($0))" }.joined(separator: "; ")
      let leaders = cores.compactMap { $0.first(where: usable.contains) }
      let finding = Finding(
        .warning, "CPUs in use share a core",
        found: "CPUs \(groups) are \(shared.count == 1 ? "one core" : "one core each")",
        consequence: "two workers there get little more done than one, and how much depends on "
          + "what the other does",
        remedy: leaders.count > 1
          ? "taskset -c \(Self.list(leaders)) bench, or for all programs: "
            + "echo off | sudo tee /sys/devices/system/cpu/smt/control"
          : "taskset -c with CPUs of several cores; lscpu -e lists them")
      return Check(subject, groups, findings: [finding])
    }
    let foreign = cores.flatMap { $0 }.filter { !usable.contains($0) }
    guard !foreign.isEmpty, facts.simultaneousThreads != false else {
      return Check(subject, "every CPU in use has a core of its own")
    }
    let finding = Finding(
      .note, "others may use the same cores",
      found: "CPUs \(Self.list(foreign)) are on the cores of those in use",
      consequence: "a worker's speed depends on what runs there",
      remedy: "echo off | sudo tee /sys/devices/system/cpu/smt/control, or keep those CPUs idle")
    return Check(subject, "with CPUs \(Self.list(foreign))", findings: [finding])
  }

  func wakeUpCheck() -> Check {
    guard let cost = figures.wakeUpNanoseconds else {
      return Check(
        "waking a thread", missing: [], in: facts.files, why: "no second thread could be started")
    }
    let text = "\(decimal(Double(cost) / 1000, digits: 1)) µs"
    guard cost > 20_000 else { return Check("waking a thread", text) }
    let finding = Finding(
      .warning, "waking a thread is slow", found: "a wake-up takes \(text)",
      consequence: "every workload whose workers fall asleep measures this first",
      remedy: facts.hypervisor == nil
        ? "sudo cpupower idle-set -D 0"
        : "sudo modprobe cpuidle-haltpoll, or boot the guest with idle=poll")
    return Check("waking a thread", text, findings: [finding])
  }

  func governorCheck() -> Check {
    guard let governor = facts.governor else {
      return Check(
        "governor", missing: facts.governorPaths, in: facts.files,
        why: "no cpufreq: the machine, or its host, sets the clock rate alone")
    }
    guard governor != "performance" else { return Check("governor", governor) }
    let finding = Finding(
      .warning, "clock rate follows the load", found: "the governor is \(governor)",
      consequence: "short measurements run at another rate than long ones",
      remedy: "sudo cpupower frequency-set -g performance")
    return Check("governor", governor, findings: [finding])
  }

  func turboCheck() -> Check {
    guard let turbo = facts.turbo, let path = facts.turboPath else {
      return Check(
        "turbo", missing: MachineFacts.turboPaths, in: facts.files,
        why: "no cpufreq: whether the clock rate rises cannot be seen")
    }
    guard turbo else { return Check("turbo", "off") }
    let finding = Finding(
      .note, "turbo is on", found: "the clock rate may exceed its nominal value",
      consequence: "one busy worker runs faster than two, and a cold machine faster than a hot one",
      remedy: "echo \(path.hasSuffix("no_turbo") ? 1 : 0) | sudo tee \(path)")
    return Check("turbo", "on", findings: [finding])
  }

  func heatCheck(_ after: LoadReading) -> Check {
    let subject = "heat"
    let zones = ThermalZone.all(facts.files)
    guard after.heatThrottles != nil || !zones.isEmpty else {
      return Check(
        subject, missing: facts.throttleCountPaths + [ThermalZone.path(0) + "/temp"],
        in: facts.files, why: "no thermal_throttle and no thermal zone in /sys")
    }
    var findings: [Finding] = []
    let cooling =
      "let it cool down, see to its air, or lower the clock rate: "
      + "sudo cpupower frequency-set -u 2GHz"
    let times = after.heatThrottles ?? 0
    let now = times - (before.heatThrottles ?? times)
    if times > 0 {
      findings.append(
        Finding(
          now > 0 ? .warning : .note, "heat slows the processor down",
          found: "\(times) times since the machine started"
            + (now > 0 ? ", \(now) of them while doctor looked" : ""),
          consequence: "the clock rate falls in the middle of a run, for some seconds",
          remedy: cooling))
    }
    for zone in zones where zone.isHot {
      findings.append(
        Finding(
          .warning, "the machine is hot",
          found: "\(zone.name) is at \(zone.text) of \(zone.limitText), where it slows down",
          consequence: "a little more work and the clock rate falls", remedy: cooling))
    }
    let values =
      (after.heatThrottles.map { ["slowed down \($0) times"] } ?? [])
      + zones.map { "\($0.name) \($0.text)" }
    return Check(subject, values.joined(separator: ", "), findings: findings)
  }

  /// Numbers as in `0,2,4`.
  private static func list(_ threads: [Int]) -> String {
    threads.map(String.init).joined(separator: ",")
  }
}
