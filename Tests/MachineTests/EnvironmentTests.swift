// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Testing

@testable internal import Machine

@Suite("The record of the environment") struct EnvironmentTests {
  private let figures = MachineFigures(
    clockCostNanoseconds: 25.04, clockStepNanoseconds: 7, emptyBenchNanoseconds: 90,
    wakeUpNanoseconds: 9000, twoThreadSpeedup: 1.98)

  private func quietProbe() -> EnvironmentProbe {
    var facts = MachineFacts()
    facts.usableThreads = 2
    facts.threads = 2
    facts.addressRandomization = 2
    facts.governor = "performance"
    return EnvironmentProbe(facts: facts, figures: figures, before: LoadReading())
  }

  @Test func everyColumnHasAValueInTheFixedOrder() {
    let probe = EnvironmentProbe()
    let columns = probe.columns(.init(runID: "r1", harnessVersion: "0.1", allocatorProof: "x"))
    #expect(
      columns.map(\.column) == [
        "run_id", "harness_version", "swift_version", "opt_level", "lto", "sanitizer",
        "libdispatch_version", "allocator", "os", "kernel", "kernel_cmdline_hash", "cpu_model",
        "sockets", "cores", "threads", "online", "affinity", "l1d_bytes", "l2_bytes", "l3_bytes",
        "numa_nodes", "virt", "mem_bytes", "clocksource", "clock_cost_ns", "clock_step_ns",
        "tsc_invariant", "governor", "turbo", "smt", "thp", "aslr", "timer_slack_ns",
        "halt_poll_ns", "cgroup_version", "cpu_quota", "nr_throttled_delta",
        "psi_cpu_some_delta_us", "steal_delta_ticks", "load1_before", "load1_after",
        "other_runnable", "swap_in_delta", "pmu", "perf_paranoid", "env_bytes", "wakeup_cost_ns",
        "two_thread_speedup", "empty_bench_ns", "jemalloc_epoch_ns", "git_describe",
        "ci_provider", "suite_file",
      ])
    for (column, value) in columns {
      #expect(!value.isEmpty && !value.contains("\n"), "\(column)")
      #expect(!value.hasPrefix("n/a") || (value.hasPrefix("n/a (") && value.hasSuffix(")")))
    }
  }

  @Test func measuredFiguresArePlausible() throws {
    let figures = MachineFigures.measure()
    #expect((0.5...100_000).contains(figures.clockCostNanoseconds))
    #expect(figures.clockStepNanoseconds > 0)
    #expect(figures.emptyBenchNanoseconds > 0)
    #expect(try #require(figures.wakeUpNanoseconds) > 100)
    #expect((0.1...20).contains(try #require(figures.twoThreadSpeedup)))
  }

  @Test func countersAppearAsTheirGrowth() {
    var probe = quietProbe()
    var before = LoadReading()
    before.stealTicks = 100
    before.pressureMicroseconds = 5
    probe = EnvironmentProbe(facts: probe.facts, figures: figures, before: before)
    var after = before
    after.stealTicks = 107
    after.pressureMicroseconds = 5
    let columns = Dictionary(
      probe.columns(.init(runID: "r", harnessVersion: "0"), after: after).map {
        ($0.column, $0.value)
      },
      uniquingKeysWith: { first, _ in first })
    #expect(columns["steal_delta_ticks"] == "7")
    #expect(columns["psi_cpu_some_delta_us"] == "0")
    #expect(columns["nr_throttled_delta"] == "n/a (not in cpu.stat)")
    #expect(columns["two_thread_speedup"] == "1.98")
    #expect(columns["clock_cost_ns"] == "25.0")
    #expect(columns["allocator"] == "n/a (no child proved one)")
  }

  @Test func aRunNamesWhatDoctorWouldFindBusy() {
    var load = LoadReading()
    load.stealTicks = 100
    load.allTicks = 1000
    #expect(quietProbe().disturbances(load).isEmpty)
    let facts = quietProbe().facts
    var busy = load
    busy.load = 2.41
    var slow = figures
    slow.twoThreadSpeedup = 1.1
    load.stealTicks = 150
    load.allTicks = 2000
    #expect(
      EnvironmentProbe(facts: facts, figures: slow, before: busy).disturbances(load) == [
        "load 2.4 on 2 processors at the start", "two threads did 1.10 times the work of one",
        "the host kept 5.0 % of the CPU time",
      ])
    busy.load = 0.2
    busy.pressurePercent = 12
    #expect(
      EnvironmentProbe(facts: facts, figures: figures, before: busy).disturbances(busy) == [
        "threads queued for CPUs in 12.0 % of the 10 s before it"
      ])
  }

  @Test func theGravestFindingComesFirst() {
    let severities = Diagnosis.now().findings.map(\.severity)
    #expect(severities == severities.sorted(by: >))
    // Tests are built without optimisation, and that is the gravest thing to say.
    if BuildFacts.isDebug { #expect(severities.first == .severe) }
  }
}

@Suite("Reading what Linux writes") struct FactTextTests {
  @Test func keysAreFoundWhateverSurroundsThem() {
    let text = "MemTotal:       16 kB\nmodel name\t: Some CPU @ 2.50GHz\npswpin 5\n"
    #expect(MachineFacts.value(of: "MemTotal", separator: ":", in: text) == "16 kB")
    #expect(MachineFacts.value(of: "model name", separator: ":", in: text) == "Some CPU @ 2.50GHz")
    #expect(MachineFacts.value(of: "pswpin", separator: " ", in: text) == "5")
    #expect(MachineFacts.value(of: "pswp", separator: " ", in: text) == nil)
  }

  @Test func listsSizesAndChoices() {
    #expect(MachineFacts.members(of: "0-2,5") == [0, 1, 2, 5])
    #expect(MachineFacts.members(of: "7") == [7])
    #expect(MachineFacts.members(of: "5-2,x") == [])
    #expect(MachineFacts.bytes("32K") == 32_768)
    #expect(MachineFacts.bytes("2M") == 2_097_152)
    #expect(MachineFacts.bytes("x") == nil)
    #expect(MachineFacts.bracketed("always [madvise] never") == "madvise")
    #expect(MachineFacts.bracketed("none") == nil)
    #expect(MachineFacts.hash("") == "cbf29ce484222325")
  }

  @Test(arguments: [
    (1.98, 2, "1.98"), (0.005, 2, "0.01"), (-1.5, 1, "-1.5"), (-0.04, 1, "0.0"), (12.0, 0, "12"),
    (3.04, 1, "3.0"),
  ])
  func decimalsAreTheSameEverywhere(_ value: Double, _ digits: Int, _ text: String) {
    #expect(decimal(value, digits: digits) == text)
  }
}
