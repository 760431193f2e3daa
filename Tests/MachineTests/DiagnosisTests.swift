// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Harness
internal import Testing

@testable internal import Machine

/// A machine made of texts: what its files say, and what is measured or asked on it.
struct MadeUpMachine {
  /// By path.
  var texts: [String: String]
  /// Error numbers by path.
  var refused: [String: Int32] = [:]
  /// What growing counters say when the look ends, by path.
  var later: [String: String] = [:]
  var figures = MachineFigures(
    clockCostNanoseconds: 25, clockStepNanoseconds: 7, emptyBenchNanoseconds: 90,
    wakeUpNanoseconds: 9000, twoThreadSpeedup: 1.98)
  var hypervisor: String?
  var counterRefusal: CounterRefusal?

  static let cpus = "/sys/devices/system/cpu"
  static let clocks = "/sys/devices/system/clocksource/clocksource0"

  /// Four CPUs on two cores, of which CPUs 0 and 1 are used; nothing to complain of.
  static var quiet: MadeUpMachine {
    var texts = [
      "/proc/self/status": "Name:\tx\nCpus_allowed_list:\t0-1\n",
      cpus + "/present": "0-3\n", cpus + "/online": "0-3\n", cpus + "/smt/active": "0\n",
      cpus + "/intel_pstate/no_turbo": "1\n",
      "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
      "/proc/sys/kernel/randomize_va_space": "2\n", "/proc/self/timerslack_ns": "50000\n",
      clocks + "/current_clocksource": "tsc\n", clocks + "/available_clocksource": "tsc hpet\n",
      "/proc/self/cgroup": "0::/job\n",
      "/sys/fs/cgroup/job/cpu.max": "max 100000\n",
      "/sys/fs/cgroup/job/cpu.stat": "usage_usec 5\nnr_periods 0\nnr_throttled 0\n",
      "/sys/fs/cgroup/cpu.stat": "usage_usec 9\n",
      "/proc/loadavg": "0.10 0.20 0.30 1/200 4711\n",
      "/proc/pressure/cpu": "some avg10=0.50 avg60=0.00 avg300=0.00 total=12\n",
      "/proc/stat": "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1\n",
      "/usr/lib64/libjemalloc.so.2": "ELF",
      "/sys/class/thermal/thermal_zone0/temp": "41000\n",
      "/sys/class/thermal/thermal_zone0/type": "x86_pkg_temp\n",
      "/sys/class/thermal/thermal_zone0/trip_point_0_type": "passive\n",
      "/sys/class/thermal/thermal_zone0/trip_point_0_temp": "95000\n",
    ]
    for cpu in 0..<4 {
      texts[cpus + "/cpu\(cpu)/topology/thread_siblings_list"] = "\(cpu)\n"
      texts[cpus + "/cpu\(cpu)/cpufreq/scaling_governor"] = "performance\n"
      texts[cpus + "/cpu\(cpu)/thermal_throttle/core_throttle_count"] = "0\n"
      texts[cpus + "/cpu\(cpu)/thermal_throttle/package_throttle_count"] = "0\n"
    }
    return MadeUpMachine(texts: texts)
  }

  /// What `doctor` would say of it.
  var diagnosis: Diagnosis {
    let files = SystemFiles.madeUp(texts, refused: refused)
    var facts = MachineFacts.read(files)
    facts.hypervisor = hypervisor
    facts.counterRefusal = counterRefusal
    let probe = EnvironmentProbe(facts: facts, figures: figures, before: LoadReading.now(facts))
    facts.files = .madeUp(texts.merging(later) { $1 }, refused: refused)
    return Diagnosis(
      checks: [EnvironmentProbe.allocatorCheck(files)]
        + probe.checks(after: LoadReading.now(facts)),
      figures: figures)
  }
}

/// A disturbance: how the quiet machine gets it, and what is then said.
struct Disturbed: Sendable, CustomTestStringConvertible {
  let subject: String
  let severity: Finding.Severity
  let found: String
  let remedy: String
  let change: @Sendable (inout MadeUpMachine) -> Void
  var testDescription: String { "\(subject): \(found)" }

  init(
    _ subject: String, _ severity: Finding.Severity, _ found: String, _ remedy: String,
    change: @escaping @Sendable (inout MadeUpMachine) -> Void
  ) {
    self.subject = subject
    self.severity = severity
    self.found = found
    self.remedy = remedy
    self.change = change
  }

  /// One whose severity is that of most.
  init(
    _ subject: String, _ found: String, _ remedy: String,
    change: @escaping @Sendable (inout MadeUpMachine) -> Void
  ) {
    self.init(subject, .warning, found, remedy, change: change)
  }
}

private typealias M = MadeUpMachine

@Suite("What doctor says of a machine") struct DiagnosisTests {
  @Test func aQuietMachineHasEveryCheckAndNoFinding() {
    let diagnosis = MadeUpMachine.quiet.diagnosis
    #expect(diagnosis.findings == [])
    #expect(
      diagnosis.checks.map(\.subject) == [
        "allocator", "processors", "core siblings", "waking a thread", "governor", "turbo", "heat",
        "large pages", "addresses", "timer slack", "clock", "CPU quota", "throttling", "load",
        "pressure", "steal", "hardware counters",
      ])
    for check in diagnosis.checks {
      #expect(check.status == .fine, "\(check)")
      #expect(!check.value.isEmpty)
    }
  }

  /// Each is the only finding on a machine that is quiet otherwise.
  static let disturbed: [Disturbed] = [
    Disturbed("allocator", "no libjemalloc.so.2", "sudo apt-get install libjemalloc-dev") {
      $0.texts["/usr/lib64/libjemalloc.so.2"] = nil
    },
    Disturbed("processors", "may use 2", "taskset -cp 0-3 $$") {
      $0.texts["/proc/self/status"] = "Cpus_allowed_list:\t2\n"
    },
    Disturbed("processors", "1.10 times the work of one", "taskset -c A,B bench") {
      $0.figures.twoThreadSpeedup = 1.1
    },
    Disturbed("core siblings", "CPUs 0,1 are one core", "taskset -c 0,2 bench") {
      $0.texts["/proc/self/status"] = "Cpus_allowed_list:\t0-2\n"
      $0.texts[M.cpus + "/smt/active"] = "1\n"
      for cpu in 0..<4 {
        $0.texts[M.cpus + "/cpu\(cpu)/topology/thread_siblings_list"] =
          cpu < 2 ? "0-1\n" : "2,4\n"
      }
    },
    Disturbed("core siblings", "CPUs 0,1 are one core", "taskset -c with CPUs of several cores") {
      for cpu in 0..<2 { $0.texts[M.cpus + "/cpu\(cpu)/topology/thread_siblings_list"] = "0,1\n" }
    },
    Disturbed("core siblings", .note, "CPUs 2,3 are on the cores", "smt/control") {
      $0.texts[M.cpus + "/smt/active"] = "1\n"
      for cpu in 0..<2 {
        $0.texts[M.cpus + "/cpu\(cpu)/topology/thread_siblings_list"] = "\(cpu),\(cpu + 2)\n"
      }
    },
    Disturbed("waking a thread", "60.0 µs", "sudo cpupower idle-set -D 0") {
      $0.figures.wakeUpNanoseconds = 60_000
    },
    Disturbed("governor", "performance+powersave", "sudo cpupower frequency-set -g performance") {
      $0.texts[M.cpus + "/cpu1/cpufreq/scaling_governor"] = "powersave\n"
    },
    Disturbed("turbo", .note, "may exceed", "echo 1 | sudo tee \(M.cpus)/intel_pstate/no_turbo") {
      $0.texts[M.cpus + "/intel_pstate/no_turbo"] = "0\n"
    },
    Disturbed("turbo", .note, "may exceed", "echo 0 | sudo tee \(M.cpus)/cpufreq/boost") {
      $0.texts[M.cpus + "/intel_pstate/no_turbo"] = nil
      $0.texts[M.cpus + "/cpufreq/boost"] = "1\n"
    },
    Disturbed("heat", .note, "7 times since the machine started", "cpupower frequency-set -u") {
      $0.texts[M.cpus + "/cpu1/thermal_throttle/core_throttle_count"] = "7\n"
    },
    Disturbed("heat", "9 times since the machine started, 2 of them while", "let it cool down") {
      $0.texts[M.cpus + "/cpu1/thermal_throttle/package_throttle_count"] = "7\n"
      $0.later[M.cpus + "/cpu1/thermal_throttle/package_throttle_count"] = "9\n"
    },
    Disturbed("heat", "x86_pkg_temp is at 93 °C of 95 °C", "let it cool down") {
      $0.texts["/sys/class/thermal/thermal_zone0/temp"] = "93000\n"
    },
    Disturbed("large pages", .note, "set to always", "echo madvise | sudo tee") {
      $0.texts["/sys/kernel/mm/transparent_hugepage/enabled"] = "[always] madvise never\n"
    },
    Disturbed("addresses", "randomize_va_space is 0", "echo 2 | sudo tee /proc/sys/kernel/") {
      $0.texts["/proc/sys/kernel/randomize_va_space"] = "0\n"
    },
    Disturbed("timer slack", "10000.0 µs late", "echo 50000 | sudo tee /proc/$$/timerslack_ns") {
      $0.texts["/proc/self/timerslack_ns"] = "10000000\n"
    },
    Disturbed("clock", "clock source hpet", "echo tsc | sudo tee \(M.clocks)/current_clock") {
      $0.texts[M.clocks + "/current_clocksource"] = "hpet\n"
    },
    Disturbed("clock", "700 ns with the clock source tsc", "tsc=reliable") {
      $0.figures.clockCostNanoseconds = 700
    },
    Disturbed("CPU quota", "1.50 of 2 CPUs", "echo max | sudo tee /sys/fs/cgroup/job/cpu.max") {
      $0.texts["/sys/fs/cgroup/job/cpu.max"] = "150000 100000\n"
    },
    Disturbed("CPU quota", "0.50 of 2 CPUs", "echo max | sudo tee /sys/fs/cgroup/pod/cpu.max") {
      $0.texts["/proc/self/cgroup"] = "0::/pod/job\n"
      $0.texts["/sys/fs/cgroup/pod/cpu.max"] = "50000 100000\n"
      $0.texts["/sys/fs/cgroup/pod/cpu.stat"] = "nr_throttled 0\n"
      $0.texts["/sys/fs/cgroup/pod/job/cpu.max"] = "max 100000\n"
      $0.texts["/sys/fs/cgroup/pod/job/cpu.stat"] = "nr_throttled 0\n"
    },
    Disturbed("CPU quota", "0.25 of 2 CPUs", "echo -1 | sudo tee /sys/fs/cgroup/cpu/a/cpu.cfs_q") {
      $0.texts["/proc/self/cgroup"] = "4:cpu,cpuacct:/a/b\n0::/\n"
      $0.texts["/sys/fs/cgroup/cpu/a/b/cpu.stat"] = "nr_throttled 0\n"
      $0.texts["/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us"] = "-1\n"
      $0.texts["/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us"] = "100000\n"
      $0.texts["/sys/fs/cgroup/cpu/a/cpu.stat"] = "nr_throttled 0\n"
      $0.texts["/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us"] = "25000\n"
      $0.texts["/sys/fs/cgroup/cpu/a/cpu.cfs_period_us"] = "100000\n"
    },
    Disturbed("throttling", .note, "stopped 12 times since", "fewer workers") {
      $0.texts["/sys/fs/cgroup/job/cpu.stat"] = "nr_throttled 12\n"
    },
    Disturbed("throttling", "stopped 14 times since it was made, 2 of them", "fewer workers") {
      $0.texts["/sys/fs/cgroup/job/cpu.stat"] = "nr_throttled 12\n"
      $0.later["/sys/fs/cgroup/job/cpu.stat"] = "nr_throttled 14\n"
    },
    Disturbed("load", "load 3.00, 4 other threads runnable", "ps -eo pcpu") {
      $0.texts["/proc/loadavg"] = "3.00 1.0 1.0 5/200 4711\n"
    },
    Disturbed("pressure", "12.0 % of the last 10 s", "ps -eo pcpu") {
      $0.texts["/proc/pressure/cpu"] = "some avg10=12.00 avg60=0.00 avg300=0.00 total=12\n"
    },
    Disturbed("steal", .note, "a guest of kvm; the host kept 0.0 %", "dedicated host") {
      $0.hypervisor = "kvm"
    },
    Disturbed("steal", "kept 20.0 % of the CPU time", "dedicated host") {
      $0.hypervisor = "kvm"
      $0.texts["/proc/stat"] = "cpu  100 0 100 600 0 0 0 200 0 0\n"
    },
    Disturbed("hardware counters", .note, "not permitted", "kernel.perf_event_paranoid=2") {
      $0.counterRefusal = .paranoid
    },
    Disturbed("hardware counters", .note, "shows no counters", "run on bare metal") {
      $0.counterRefusal = .absent
    },
  ]

  @Test(arguments: disturbed)
  func whatDisturbsIsFoundWithItsEffectAndItsRemedy(_ disturbed: Disturbed) throws {
    var machine = MadeUpMachine.quiet
    disturbed.change(&machine)
    let diagnosis = machine.diagnosis
    #expect(diagnosis.findings.count == 1, "\(diagnosis.findings)")
    let check = try #require(diagnosis.checks.first { $0.status == .finding })
    let finding = try #require(check.findings.first)
    #expect(check.subject == disturbed.subject)
    #expect(finding.severity == disturbed.severity)
    #expect(finding.found.contains(disturbed.found), "\(finding.found)")
    #expect(finding.remedy.contains(disturbed.remedy), "\(finding.remedy)")
    #expect(!finding.consequence.isEmpty && !finding.title.isEmpty)
  }

  @Test(arguments: [CounterRefusal.absent, .paranoid, .filtered, .noKernelSupport])
  func rowsAndDoctorSayTheSameOfCounters(refusal: CounterRefusal) throws {
    var machine = MadeUpMachine.quiet
    machine.counterRefusal = refusal
    let finding = try #require(machine.diagnosis.findings.first)
    #expect(
      finding.consequence.hasPrefix(
        "hardware-instructions, cycles, cache-misses are unavailable:\(refusal.reason)"))
    #expect(finding.remedy == refusal.remedy)
  }

  @Test func whatTheMachineDoesNotHaveIsNotFine() {
    var machine = MadeUpMachine.quiet
    machine.texts = ["/usr/lib64/libjemalloc.so.2": "ELF"]
    machine.figures.twoThreadSpeedup = 2
    let checks = machine.diagnosis.checks
    let absent = checks.filter { $0.status == .absent }.map(\.subject)
    #expect(
      absent == [
        "core siblings", "governor", "turbo", "heat", "large pages", "addresses", "timer slack",
        "clock", "CPU quota", "throttling", "load", "pressure", "steal",
      ])
    #expect(checks.allSatisfy { !$0.value.isEmpty })
  }

  @Test(
    arguments: [
      ("governor", M.cpus + "/cpu0/cpufreq/scaling_governor"),
      ("turbo", M.cpus + "/intel_pstate/no_turbo"),
      ("large pages", "/sys/kernel/mm/transparent_hugepage/enabled"),
      ("addresses", "/proc/sys/kernel/randomize_va_space"),
      ("timer slack", "/proc/self/timerslack_ns"), ("clock", M.clocks + "/current_clocksource"),
      ("load", "/proc/loadavg"), ("pressure", "/proc/pressure/cpu"), ("steal", "/proc/stat"),
      ("CPU quota", "/sys/fs/cgroup/job/cpu.max"),
      ("throttling", "/sys/fs/cgroup/job/cpu.stat"),
    ])
  func whatIsRefusedIsNotFineEither(subject: String, path: String) throws {
    var machine = MadeUpMachine.quiet
    machine.refused[path] = EACCES
    if subject == "governor" {
      machine.refused[M.cpus + "/cpu1/cpufreq/scaling_governor"] = EACCES
    }
    let check = try #require(machine.diagnosis.checks.first { $0.subject == subject })
    #expect(check.status == .unreadable, "\(check)")
    #expect(check.value == "\(path): Permission denied")
  }

  @Test func theKindOfBuildIsAFindingOfItsOwn() throws {
    let checks = EnvironmentProbe.programChecks(.madeUp([:]))
    #expect(checks.map(\.subject) == ["build", "allocator"])
    #expect(try #require(checks.last).status == .finding)
  }
}
