// SPDX-License-Identifier: Apache-2.0

internal import Harness

/// Records the circumstances of a run: one value for every column of the environment file.
///
/// Make it before the first child and ask it for the columns after the last; the counters that grow
/// in between are in them. It measures on two threads for 0.3 s when it is made, so nothing else
/// should run then.
package struct EnvironmentProbe: Sendable {
  /// What the machine is.
  package let facts: MachineFacts
  /// What its primitives cost.
  package let figures: MachineFigures
  /// How busy it was at the start.
  package let before: LoadReading

  /// Reads and measures; less than 0.5 s.
  package init() {
    facts = MachineFacts.read()
    // Before the probe itself loads the machine.
    before = LoadReading.now(facts)
    figures = MachineFigures.measure()
  }

  init(facts: MachineFacts, figures: MachineFigures, before: LoadReading) {
    self.facts = facts
    self.figures = figures
    self.before = before
  }

  /// What the orchestrator alone knows about a run.
  package struct RunFacts: Sendable {
    /// Id of the run.
    package var runID: String
    /// Version of this program.
    package var harnessVersion: String
    /// What the children proved; nil when none got that far.
    package var allocatorProof: String?
    /// Nanoseconds of one refresh of jemalloc's statistics in a child; nil when none told.
    package var jemallocEpochNanoseconds: Int64?
    /// The revision's name; nil outside a repository.
    package var gitDescribe: String?
    /// The suite that was asked for, or its file; nil when none was.
    package var suite: String?

    /// Facts; see the properties.
    package init(
      runID: String, harnessVersion: String, allocatorProof: String? = nil,
      jemallocEpochNanoseconds: Int64? = nil, gitDescribe: String? = nil,
      suite: String? = nil
    ) {
      self.runID = runID
      self.harnessVersion = harnessVersion
      self.allocatorProof = allocatorProof
      self.jemallocEpochNanoseconds = jemallocEpochNanoseconds
      self.gitDescribe = gitDescribe
      self.suite = suite
    }
  }

  /// Every column in its fixed order, with the counters' growth since the probe was made.
  ///
  /// No value is empty: what is not known reads `n/a (<why>)`.
  package func columns(_ run: RunFacts) -> [(column: String, value: String)] {
    columns(run, after: LoadReading.now(facts))
  }

  func columns(_ run: RunFacts, after: LoadReading) -> [(column: String, value: String)] {
    programColumns(run) + machineColumns() + settingColumns() + loadColumns(after)
      + figureColumns(run)
  }

  private typealias Columns = [(column: String, value: String)]

  private func programColumns(_ run: RunFacts) -> Columns {
    [
      ("run_id", run.runID), ("harness_version", run.harnessVersion),
      ("swift_version", BuildFacts.swiftVersion), ("opt_level", BuildFacts.optimization),
      ("lto", "n/a (not visible to the program)"),
      ("sanitizer", BuildFacts.sanitizer?.rawValue ?? "none"),
      ("libdispatch_version", "n/a (has none; part of Swift \(BuildFacts.swiftVersion))"),
      ("allocator", text(run.allocatorProof, else: "no child proved one")),
    ]
  }

  private func machineColumns() -> Columns {
    let topology = "no topology in /sys"
    return [
      ("os", text(facts.system, else: "no /etc/os-release")),
      ("kernel", text(facts.kernel, else: "no /proc")),
      ("kernel_cmdline_hash", text(facts.kernelCommandLineHash, else: "no /proc/cmdline")),
      ("cpu_model", text(facts.processor, else: "not in /proc/cpuinfo")),
      ("sockets", text(facts.sockets, else: topology)),
      ("cores", text(facts.cores, else: topology)),
      ("threads", text(facts.threads, else: topology)),
      ("online", text(facts.online, else: topology)),
      ("affinity", text(facts.affinity, else: "not in /proc/self/status")),
      ("l1d_bytes", text(facts.level1Bytes, else: "no caches in /sys")),
      ("l2_bytes", text(facts.level2Bytes, else: "no caches in /sys")),
      ("l3_bytes", text(facts.level3Bytes, else: "none in /sys")),
      ("numa_nodes", text(facts.memoryNodes, else: "no nodes in /sys")),
      ("virt", facts.hypervisor ?? "none"),
      ("mem_bytes", text(facts.memoryBytes, else: "no /proc/meminfo")),
    ]
  }

  private func settingColumns() -> Columns {
    [
      ("clocksource", text(facts.clockSource, else: "not in /sys")),
      ("clock_cost_ns", decimal(figures.clockCostNanoseconds, digits: 1)),
      ("clock_step_ns", "\(figures.clockStepNanoseconds)"),
      ("tsc_invariant", text(facts.hasInvariantCounter, else: "no x86 flags in /proc/cpuinfo")),
      ("governor", text(facts.governor, else: "no cpufreq")),
      ("turbo", text(facts.turbo, else: "no cpufreq")),
      ("smt", text(facts.simultaneousThreads, else: "not in /sys")),
      ("thp", text(facts.transparentHugePages, else: "not in /sys")),
      ("aslr", text(facts.addressRandomization, else: "no /proc/sys")),
      ("timer_slack_ns", text(facts.timerSlackNanoseconds, else: "no /proc/self/timerslack_ns")),
      ("halt_poll_ns", text(facts.haltPollNanoseconds, else: "no haltpoll or kvm module")),
      ("cgroup_version", "\(facts.controlGroup.version.rawValue)"),
      ("cpu_quota", facts.limit.map { decimal($0.quota, digits: 2) } ?? "none"),
    ]
  }

  private func loadColumns(_ after: LoadReading) -> Columns {
    [
      (
        "nr_throttled_delta",
        growth(before.throttledPeriods, after.throttledPeriods, else: "not in cpu.stat")
      ),
      (
        "psi_cpu_some_delta_us",
        growth(before.pressureMicroseconds, after.pressureMicroseconds, else: "no /proc/pressure")
      ),
      ("steal_delta_ticks", growth(before.stealTicks, after.stealTicks, else: "not in /proc/stat")),
      ("load1_before", text(before.load, else: "no /proc/loadavg")),
      ("load1_after", text(after.load, else: "no /proc/loadavg")),
      ("other_runnable", text(before.otherRunnable, else: "no /proc/loadavg")),
      (
        "swap_in_delta",
        growth(before.swappedInPages, after.swappedInPages, else: "not in /proc/vmstat")
      ),
      (
        "pmu",
        facts.counterRefusal.map { "no (\($0.finding))" } ?? "yes"
      ),
      ("perf_paranoid", text(facts.performanceParanoia, else: "no perf events")),
      ("env_bytes", text(facts.environmentBytes, else: "no /proc/self/environ")),
    ]
  }

  private func figureColumns(_ run: RunFacts) -> Columns {
    [
      ("wakeup_cost_ns", text(figures.wakeUpNanoseconds, else: "no second thread")),
      (
        "two_thread_speedup",
        figures.twoThreadSpeedup.map { decimal($0, digits: 2) } ?? "n/a (no second thread)"
      ),
      ("empty_bench_ns", "\(figures.emptyBenchNanoseconds)"),
      (
        "jemalloc_epoch_ns",
        text(run.jemallocEpochNanoseconds, else: "no child with jemalloc told")
      ),
      ("git_describe", text(run.gitDescribe, else: "no repository")),
      ("ci_provider", facts.integrationService ?? "none"),
      ("suite_file", run.suite ?? "none"),
    ]
  }

  private func text(_ value: (some CustomStringConvertible)?, else why: String) -> String {
    guard let value else { return "n/a (\(why))" }
    let text = value.description
    return text.isEmpty ? "n/a (\(why))" : text
  }

  private func text(_ value: Bool?, else why: String) -> String {
    value.map { $0 ? "on" : "off" } ?? "n/a (\(why))"
  }

  private func growth(_ before: Int64?, _ after: Int64?, else why: String) -> String {
    guard let before, let after else { return "n/a (\(why))" }
    return "\(after - before)"
  }
}

/// A number with so many digits after the point, in every locale.
func decimal(_ value: Double, digits: Int) -> String {
  let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
  guard value.isFinite, abs(value) * scale < 9e15 else { return "\(value)" }
  let scaled = Int64((value * scale).rounded())
  guard digits > 0 else { return "\(scaled)" }
  let fraction = String(scaled.magnitude % UInt64(scale))
  return (scaled < 0 ? "-" : "") + "\(scaled.magnitude / UInt64(scale))."
    + String(repeating: "0", count: digits - fraction.count) + fraction
}
