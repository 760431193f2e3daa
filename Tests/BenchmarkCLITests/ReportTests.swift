// SPDX-License-Identifier: Apache-2.0

import Analysis
import Harness
import Measurement
import MeasurementFixtures
import Results
import Testing

@testable import BenchmarkCLI

@Suite struct ReportTests {
  private func report(
    _ runner: FakeRunner, change: (inout MeasurementRequest) -> Void = { _ in }
  ) throws -> Report {
    Reports.live(try Fixtures.plan(change, freshSeed: 7), runner)
  }

  /// Exactly proportional figures: every round has the same ratios.
  private func exact(_ nanoseconds: [String: Double]) -> FakeRunner {
    FakeRunner { assignment, _ in Fixtures.outcome(wall: [nanoseconds[assignment.name] ?? 100]) }
  }

  @Test func anEstablishedRunReadsLikeThis() throws {
    let report = try report(
      exact(["inline": 300, "dispatch": 2000, "work-stealing": 150, "foundation": 5000])
    ) {
      $0.workloadNames = ["chain"]
      $0.references = ["foundation"]
    }
    #expect(
      report.text(style: .plain) == """
        Established as fastest: work-stealing in 1 group (next: 13.3 times as long).

        chain  n=100000 · 2 workers
          scheduler      wall/op  interval      × best  interval
          inline          300 ns  300–300 ns      2.00  2.00–2.00  serial
          dispatch       2.00 µs  2.00–2.00 µs    13.3  13.3–13.3
          work-stealing   150 ns  150–150 ns      best
          apart, with operations of its own:
          foundation     5.00 µs  5.00–5.00 µs    33.3  33.3–33.3
          foundation: its own operations; capped to n=5000

        wall/op: first construction to last release, divided by operations; median of
        processes with its 95 % interval.
        × best: ratio to the best of the group, round by round, with its 95 % interval;
        lower is better. Seed 7.
        serial: inline is the baseline to beat; it is not ranked.

        """)
  }

  @Test func allocationsAreALineOfTheirOwnAndCostNobodyTheOtherFigures() throws {
    let runner = FakeRunner { assignment, _ in
      var outcome = Fixtures.outcome(wall: [100])
      guard assignment.countsAllocations else { return outcome }
      guard assignment.name != "foundation" else {
        return MeasurementOutcome(failure: .unavailable(reason: "own-allocator", detail: "why"))
      }
      outcome.metrics = [.allocations: [4.5], .allocatedBytes: [288]]
      return outcome
    }
    let text = try report(runner) {
      $0.workloadNames = ["chain"]
      $0.references = ["foundation"]
      $0.countsAllocations = true
    }.text(style: .plain)
    #expect(text.contains("  allocations/op: inline 4.50, dispatch 4.50, work-stealing 4.50,"))
    #expect(text.contains("foundation unavailable:own-allocator"))
    #expect(text.contains("  allocated-bytes/op: inline 288 B, dispatch 288 B,"))
    #expect(text.contains("foundation      100 ns  100–100 ns"))
    let plain = try report(runner) { $0.workloadNames = ["chain"] }.text(style: .plain)
    #expect(!plain.contains("alloc"))
  }

  @Test func whatTheProcessorCountsIsALineWhereAnybodyHasIt() throws {
    func text(_ counts: @escaping (String) -> Bool) throws -> String {
      try report(
        FakeRunner { assignment, _ in
          var outcome = Fixtures.outcome(wall: [100])
          outcome.missing = [.hardwareInstructions: "no-pmu", .cacheMisses: "no-pmu"]
          if counts(assignment.name) {
            outcome.metrics = [.cycles: [420]]
          } else {
            outcome.missing[.cycles] = "no-pmu"
          }
          return outcome
        }
      ) { $0.workloadNames = ["chain"] }.text(style: .plain)
    }
    let some = try text { $0 != "dispatch" }
    #expect(
      some.contains("  cycles/op: inline 420, dispatch unavailable:no-pmu, work-stealing 420"))
    #expect(!some.contains("hardware-instructions") && !some.contains("cache-misses"))
    let none = try text { _ in false }
    #expect(!none.contains("no-pmu") && none.contains("100–100 ns"))
  }

  @Test func metricsOfOnesOwnAreALineEach() throws {
    let own = try #require(OwnMetric("x-tables"))
    let runner = FakeRunner { assignment, _ in
      var outcome = Fixtures.outcome(wall: [100])
      if assignment.name != "inline" {
        outcome.metrics[.own(own)] = [assignment.name == "dispatch" ? 3 : 0.5]
      }
      return outcome
    }
    let report = try report(runner) { $0.workloadNames = ["chain"] }
    let line = "x-tables: dispatch 3.00, work-stealing 0.500"
    #expect(report.text(style: .plain).contains("\n  \(line)\n"), "\(report.text(style: .plain))")
    #expect(report.markdown.contains("- \(line)\n"))
    let rows = report.analysis.rows.filter { $0.subject.metric == .own(own) }
    #expect(Set(rows.map(\.subject.scheduler)) == ["dispatch", "work-stealing"])
  }

  @Test func oneSchedulerBesideAReferenceIsNotRankedAndNotesStandBelow() throws {
    let plan = try Fixtures.plan(
      {
        $0.workloadNames = ["chain"]
        $0.schedulers = ["inline"]
        $0.references = ["foundation"]
      }, freshSeed: 7)
    var report = Reports.live(plan, exact(["inline": 300, "foundation": 5000]))
    report = Report(
      report.analysis, context: ReportContext(seed: 7, notes: ["foundation has no fan"]))
    let text = report.text(style: .plain)
    #expect(text.hasPrefix("1 measurement, nothing to compare with\n"))
    #expect(text.hasSuffix("not ranked.\nnote: foundation has no fan\n"))
  }

  @Test func whoHadNotSettledIsNamed() throws {
    let drift = FakeRunner { assignment, _ in
      let times = (0..<40).map { 100 + (assignment.name == "dispatch" ? 3 * Double($0) : 0) }
      return Fixtures.outcome(wall: times)
    }
    let text = try report(drift) { $0.workloadNames = ["chain"] }.text(style: .plain)
    #expect(text.contains("\n  iteration times drifting: dispatch\n"))
  }

  @Test func aTieIsMarkedAsNotEstablished() throws {
    let report = try report(
      FakeRunner { assignment, index in
        let wobble = assignment.name == "dispatch" ? Double(index % 5) : 2
        return Fixtures.outcome(wall: [assignment.name == "inline" ? 500 : 100 + wobble])
      }
    ) { $0.workloadNames = ["chain"] }
    let text = report.text(style: .plain)
    #expect(text.hasPrefix("No scheduler is established as the fastest; best round by round: "))
    #expect(text.contains("  open\n"))
    #expect(text.contains("open: the interval of the ratio contains 1"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func aShortRunWithAFailureReadsLikeThis() throws {
    let report = try report(
      FakeRunner { assignment, _ in
        switch assignment.name {
        case "dispatch":
          MeasurementOutcome(failure: .crashed(.signalled(11), standardError: "lost its mind"))
        case "inline": Fixtures.outcome(wall: [10], latencies: Array(repeating: 2000, count: 500))
        default: Fixtures.outcome(wall: [10], latencies: Array(repeating: 1000, count: 500))
        }
      }
    ) {
      $0.workloadNames = ["latency"]
      $0.processes = 3
    }
    #expect(
      report.text(style: .plain) == """
        1 measurement, nothing to rank beside the baseline

        latency  n=500 · 2 workers
          scheduler          p50      p99      max
          inline         2.00 µs  2.00 µs  2.00 µs  serial
          dispatch             –        –        –  crashed
          work-stealing  1.00 µs  1.00 µs  1.00 µs
          dispatch in round 1: crashed: signal 11 (SIGSEGV); its last output:
          lost its mind

        p50, p99, max: submission to start of the body, from every sample.
        no ratio: inline runs the body inside the call that submits it.
        Seed 7.
        serial: inline is the baseline to beat; it is not ranked.

        """)
  }

  @Test func aSerialBaselineIsNotRankedByLatency() throws {
    let report = try report(
      FakeRunner { assignment, _ in
        let latency: UInt64 = assignment.name == "inline" ? 50 : 2000
        return Fixtures.outcome(wall: [100], latencies: Array(repeating: latency, count: 3))
      }
    ) {
      $0.workloadNames = ["latency"]
      $0.schedulers = ["inline", "work-stealing", "dispatch"]
    }
    let inline = try #require(
      report.analysis.groups[0].contestants.first { $0.name == "inline" })
    #expect(inline.comparisons[.latency] == nil && inline.comparisons[.wall] != nil)
    #expect(report.analysis.groups[0].best(.latency)?.name != "inline")
    let text = report.text(style: .plain)
    #expect(!text.split(separator: "\n")[0].contains("inline"))
    #expect(text.contains("\n–: too few samples for this percentile; longer runs have more.\n"))
    #expect(text.contains("\nno ratio: inline runs the body inside the call that submits it.\n"))
  }

  @Test func aBusyMachineIsNamedBelowTheTable() throws {
    let plan = try Fixtures.plan({ $0.workloadNames = ["chain"] }, freshSeed: 7)
    let line = "the machine was busy: load 2.4 on 2 processors at the start; see `bench doctor`."
    let report = Reports.live(plan, exact(["inline": 300]), disturbance: line)
    #expect(report.text(style: .plain).hasSuffix("\n\(line)\n"))
    #expect(report.markdown.hasSuffix("\n\(line)\n"))
  }

  @Test func aReplayShowsEfficiencyBesideTheIdeal() throws {
    let graph = GraphSummary(
      path: "bwa.json", taskCount: 4, edgeCount: 3, totalWorkNanoseconds: 4_000_000_000,
      criticalPathNanoseconds: 2_000_000_000, fingerprint: "0123456789abcdef")
    let plan = try Fixtures.plan(
      {
        $0.graphs = [graph]
        $0.schedulers = ["work-stealing"]
      }, freshSeed: 7)
    let runner = FakeRunner { _, _ in
      var outcome = Fixtures.outcome(wall: [10])
      outcome.metrics = [
        .makespan: [5.2e8], .efficiency: [0.96], .efficiencyIdeal: [0.98], .work: [1e9],
      ]
      outcome.queueDelays = Array(repeating: 1500, count: 200)
      return outcome
    }
    let report = Reports.live(plan, runner)
    #expect(
      report.text(style: .plain) == """
        1 measurement, nothing to compare with

        bwa  body=spin · time-scale=0.25 · 2 workers
          4 tasks, 3 edges, 4.00 s of work, critical path 2.00 s
          every duration times 0.25 (--time-scale): 1.00 s of work, critical path 500 ms
          scheduler      makespan  efficiency  ideal    delay  × best  interval
          work-stealing    520 ms       0.960  0.980  1.50 µs    best

        ideal: efficiency of a simulated list schedule without overhead. delay: p99 of
        what ready tasks wait.
        × best: ratio to the best of the group, round by round, with its 95 % interval;
        lower is better. Seed 7.

        """)
    #expect(
      report.markdown.contains(
        """
        ### bwa

        body=spin · time-scale=0.25 · 2 workers

        4 tasks, 3 edges, 4.00 s of work, critical path 2.00 s

        """))
  }

  @Test func markdownHasOneTablePerGroup() throws {
    let report = try report(exact(["inline": 300, "dispatch": 600, "work-stealing": 150])) {
      $0.workloadNames = ["chain"]
    }
    #expect(
      report.markdown.contains(
        """
        ### chain

        n=100000 · 2 workers

        | scheduler | wall/op | interval | × best | interval |  |
        | --- | ---: | --- | ---: | --- | --- |
        | inline | 300 ns | 300–300 ns | 2.00 | 2.00–2.00 | serial |
        | dispatch | 600 ns | 600–600 ns | 4.00 | 4.00–4.00 |  |
        | work-stealing | 150 ns | 150–150 ns | best |  |  |
        """))
  }

  @Test func colourChangesNoCharacterOfTheText() throws {
    let report = try report(exact(["inline": 300])) { $0.workloadNames = ["chain"] }
    let colored = report.text(style: TerminalStyle(isColored: true))
    #expect(colored.contains("\u{1B}[32mbest"))
    #expect(
      colored.replacing(/\u{1B}\[[0-9]*m/, with: "") == report.text(style: .plain))
  }
}
