// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Harness

/// What `doctor` says of this machine.
package struct Diagnosis: Sendable {
  /// What makes figures doubtful, the gravest first.
  package var findings: [Finding]
  /// What was measured on the way, a line each, whether it is doubtful or not.
  package var measured: [String]

  /// A diagnosis; see the properties.
  package init(findings: [Finding], measured: [String]) {
    self.findings = findings
    self.measured = measured
  }
}

extension EnvironmentProbe {
  /// Looks at this machine now; less than 0.5 s.
  package static func diagnose() -> Diagnosis {
    let probe = EnvironmentProbe()
    return Diagnosis(findings: probe.findings(), measured: probe.figures.lines)
  }

  /// What makes figures from this machine doubtful now, the gravest first; less than 0.5 s.
  package static func findings() -> [Finding] { EnvironmentProbe().findings() }

  private func findings() -> [Finding] {
    let probe = self
    let after = LoadReading.now(controlGroup: probe.facts.controlGroup)
    return
      (Self.buildFindings() + Self.allocatorFindings() + probe.processorFindings()
      + probe.settingFindings() + probe.loadFindings(after) + probe.counterFindings())
      .enumerated().sorted {
        ($1.element.severity, $0.offset) < ($0.element.severity, $1.offset)
      }.map(\.element)
  }

  static func buildFindings() -> [Finding] {
    var findings: [Finding] = []
    if BuildFacts.isDebug {
      findings.append(
        Finding(
          .severe, "debug build", found: "this program was built without optimisation",
          consequence: "every figure is several times too large, and not by the same factor",
          remedy: "swift run -c release bench"))
    }
    if let sanitizer = BuildFacts.sanitizer {
      findings.append(
        Finding(
          .severe, "sanitizer", found: "this program was built with the \(sanitizer) sanitizer",
          consequence: "every memory access pays for checks",
          remedy: "build again without --sanitize"))
    }
    return findings
  }

  static func allocatorFindings() -> [Finding] {
    guard !AllocatorSupport.isLinkedIn, case .failure(let error) = JemallocLibrary.locate()
    else { return [] }
    return [
      Finding(
        .warning, "no jemalloc", found: error.message,
        consequence: "the default allocator is missing; the C library's own makes operations that "
          + "cross threads up to twice as expensive",
        remedy: "sudo apt-get install \(JemallocLibrary.debianPackage)")
    ]
  }

  func processorFindings() -> [Finding] {
    var findings: [Finding] = []
    if facts.usableThreads < 2 {
      findings.append(
        Finding(
          .warning, "one CPU", found: "this process may use \(facts.affinity ?? "one CPU")",
          consequence: "several workers take turns; scaling cannot be seen",
          remedy:
            "taskset -cp 0-\(max(1, (facts.threads ?? 2) - 1)) $$, or a machine with more CPUs"))
    } else if let speedup = doubtfulSpeedup {
      findings.append(
        Finding(
          .warning, "two threads are not two CPUs",
          found: "two spinning threads did \(decimal(speedup, digits: 2)) times the work of one",
          consequence: "figures for two and more workers are those of a machine that has "
            + "\(decimal(speedup, digits: 2)) CPUs; the two may be siblings of one core, or shared "
            + "with others",
          remedy: "run when the host is quiet, or choose CPUs of different cores: lscpu -e, then "
            + "taskset -c A,B bench"))
    }
    if let cost = figures.wakeUpNanoseconds, cost > 20_000 {
      findings.append(
        Finding(
          .warning, "waking a thread is slow",
          found: "a wake-up takes \(decimal(Double(cost) / 1000, digits: 1)) µs",
          consequence: "every workload whose workers fall asleep measures this first",
          remedy: facts.hypervisor == nil
            ? "sudo cpupower idle-set -D 0"
            : "sudo modprobe cpuidle-haltpoll, or boot the guest with idle=poll"))
    }
    if facts.simultaneousThreads == true {
      findings.append(
        Finding(
          .warning, "cores are shared by two threads", found: "SMT is active",
          consequence: "a worker's speed depends on what its sibling runs",
          remedy: "echo off | sudo tee /sys/devices/system/cpu/smt/control"))
    }
    return findings
  }

  func settingFindings() -> [Finding] {
    var findings: [Finding] = []
    if let governor = facts.governor, governor != "performance" {
      findings.append(
        Finding(
          .warning, "clock rate follows the load", found: "the governor is \(governor)",
          consequence: "short measurements run at another rate than long ones",
          remedy: "sudo cpupower frequency-set -g performance"))
    }
    if facts.turbo == true {
      findings.append(
        Finding(
          .note, "turbo is on", found: "the clock rate may exceed its nominal value",
          consequence:
            "one busy worker runs faster than two, and a cold machine faster than a hot one",
          remedy: SystemFile.isReadable("/sys/devices/system/cpu/intel_pstate/no_turbo")
            ? "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
            : "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"))
    }
    if facts.transparentHugePages == "always" {
      findings.append(
        Finding(
          .note, "large pages come and go", found: "transparent huge pages are set to always",
          consequence: "whether memory gets them differs from process to process",
          remedy: "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"))
    }
    if let randomization = facts.addressRandomization, randomization < 2 {
      findings.append(
        Finding(
          .warning, "addresses are not random", found: "randomize_va_space is \(randomization)",
          consequence:
            "one accident of layout is in every process, and no number of them averages it out",
          remedy: "echo 2 | sudo tee /proc/sys/kernel/randomize_va_space"))
    }
    if figures.clockCostNanoseconds > 100 {
      findings.append(
        Finding(
          .warning, "reading the clock is slow",
          found: "one read takes \(decimal(figures.clockCostNanoseconds, digits: 0)) ns with the "
            + "clock source \(facts.clockSource ?? "unknown")",
          consequence: "latencies and short iterations contain it",
          remedy: "echo tsc | sudo tee "
            + "/sys/devices/system/clocksource/clocksource0/current_clocksource"))
    }
    if let quota = facts.quota, quota < Double(facts.usableThreads) {
      findings.append(
        Finding(
          .warning, "CPU time is limited",
          found:
            "the control group may use \(decimal(quota, digits: 2)) of \(facts.usableThreads) CPUs",
          consequence: "whoever uses it up is stopped for tens of milliseconds",
          remedy: facts.controlGroup.version == .two
            ? "echo max | sudo tee \(facts.controlGroup.folder)/cpu.max"
            : "echo -1 | sudo tee \(facts.controlGroup.folder)/cpu.cfs_quota_us"))
    }
    return findings
  }

  func loadFindings(_ after: LoadReading) -> [Finding] {
    var findings: [Finding] = []
    if isLoaded {
      findings.append(
        Finding(
          .warning, "other programs are running",
          found: "load \(decimal(before.load ?? 0, digits: 2)), "
            + "\(before.otherRunnable ?? 0) other threads runnable",
          consequence: "they take CPU time from the workers, at random",
          remedy: "ps -eo pcpu,pid,args --sort=-pcpu | head"))
    } else if let percent = doubtfulPressure {
      findings.append(
        Finding(
          .warning, "threads queue for CPUs",
          found:
            "some thread waited for a CPU in \(decimal(percent, digits: 1)) % of the last 10 s",
          consequence: "the workers will wait too",
          remedy: "ps -eo pcpu,pid,args --sort=-pcpu | head"))
    }
    if let virtual = facts.hypervisor {
      let share = stealShare(after)
      findings.append(
        Finding(
          share > Self.mostSteal ? .warning : .note, "virtual machine",
          found: "a guest of \(virtual); its host kept \(decimal(share * 100, digits: 1)) % of the "
            + "CPU time since the guest started",
          consequence: "stolen time and the host's own scheduling are inside every figure",
          remedy: "measure on a dedicated host; here take more rounds, such as --processes 20"))
    }
    return findings
  }

  func counterFindings() -> [Finding] {
    let error = facts.performanceCounterError
    guard error != 0 else { return [] }
    let denied = error == EACCES || error == EPERM
    return [
      Finding(
        .note, "no hardware counters",
        found: "cycles cannot be counted: \(performanceCounterRefusal)",
        consequence: "instructions and cycles cannot be shown; only times and switches are",
        remedy: denied
          ? "sudo sysctl kernel.perf_event_paranoid=1"
          : "run on bare metal, or have the host pass them on (QEMU: -cpu host,pmu=on); here "
            + "scripts/instruction-counts counts instructions without them")
    ]
  }

  /// The share of the CPU time since the machine's start that the hypervisor kept.
  private func stealShare(_ after: LoadReading) -> Double {
    func share(_ steal: Int64?, _ all: Int64?) -> Double {
      guard let steal, let all, all > 0 else { return 0 }
      return Double(steal) / Double(all)
    }
    return share(after.stealTicks, after.allTicks)
  }
}
