// SPDX-License-Identifier: Apache-2.0

import Analysis
import Harness
import Measurement
import MeasurementFixtures
import Results
import Testing

@testable import BenchmarkCLI

/// What a reader is told of who is best.
@Suite struct VerdictTextTests {
  private func report(
    _ runner: FakeRunner, _ workload: String = "chain", processes: Int? = nil,
    change: (inout MeasurementRequest) -> Void = { _ in }
  ) throws -> Report {
    let plan = try Fixtures.plan(
      {
        $0.workloadNames = [workload]
        $0.processes = processes
        change(&$0)
      }, freshSeed: 7)
    return Reports.live(plan, runner)
  }

  @Test(arguments: 1...5) func belowSixRoundsNobodyIsRanked(count: Int) throws {
    let text = try report(
      .byRound(["inline": [10], "dispatch": [20], "work-stealing": [90]]), processes: count
    ).text(style: .plain)
    #expect(text.contains("too few to rank schedulers; --processes 6 or more does."))
    for word in ["best", "fastest", "lowest"] { #expect(!text.contains(word), "\(text)") }
  }

  @Test func sixRoundsAreEnough() throws {
    let text = try report(
      .byRound(["inline": [10], "dispatch": [20], "work-stealing": [90]]), processes: 6
    ).text(style: .plain)
    #expect(
      text.hasPrefix("Established as fastest: dispatch in 1 group (next: 4.50 times"))
  }

  /// What a run says whose children take so many seconds each.
  private func report(_ seconds: UInt64, change: (inout MeasurementRequest) -> Void) throws
    -> (report: Report, rounds: Int)
  {
    var clock: UInt64 = 0
    let runner = FakeRunner { _, _ in
      clock += seconds * 1_000_000_000
      var outcome = Fixtures.outcome(wall: [10])
      outcome.elapsedNanoseconds = seconds * 1_000_000_000
      return outcome
    }
    let plan = try Fixtures.plan({
      $0.workloadNames = ["chain"]
      change(&$0)
    })
    let record = Orchestrator(plan: plan, runner: runner, now: { clock }).run()
    return (Reports.of(record), record.completeRounds)
  }

  @Test(arguments: [(5, 5, 108), (15, 1, 324), (60, 0, 1296)] as [(UInt64, Int, Int)])
  func aBudgetThatIsTooShortIsToldWhichWouldDo(seconds: UInt64, rounds: Int, enough: Int)
    throws
  {
    let short = try report(seconds) { $0.budget = .seconds(80) }
    #expect(short.rounds == rounds)
    let line = short.report.headline[0]
    #expect(line.contains("--budget \(enough)s or more") && !line.contains("--processes"))
    #expect(try report(seconds) { $0.budget = .seconds(enough) }.rounds >= 6)
  }

  @Test func aBudgetThatEndsInTheFirstRoundIsNoInterruption() throws {
    #expect(
      try report(60) { $0.budget = .seconds(80) }.report.headline == [
        "The budget ended before the first round did; --budget 1296s or more ranks schedulers."
      ])
  }

  @Test func whatWasExpectedOfABudgetIsNotSaidBesideWhatItHeld() throws {
    func run(_ seconds: UInt64, isInterrupted: Bool = false) throws -> (rounds: Int, notes: Int) {
      var clock: UInt64 = 0
      let runner = FakeRunner { _, _ in
        clock += seconds * 1_000_000_000
        return Fixtures.outcome(wall: [10])
      }
      let plan = try Fixtures.plan {
        $0.graphs = [
          GraphSummary(path: "a.dot", taskCount: 10, totalWorkNanoseconds: 1_000_000_000)
        ]
        $0.budget = .seconds(20)
      }
      #expect(plan.notes.count == 1)
      let record = Orchestrator(
        plan: plan, runner: runner, now: { clock },
        isInterrupted: { isInterrupted && runner.assignments.count == 4 }
      ).run()
      return (record.completeRounds, Reports.of(record).context.notes.count)
    }
    #expect(try run(1) == (6, 0))
    #expect(try run(2) == (3, 0))
    #expect(try run(1, isInterrupted: true) == (1, 1))
  }

  @Test(arguments: [0, 1, 2, 3]) func anInterruptInTheFirstRoundIsCalledThat(child: Int) throws {
    let report = try report(
      FakeRunner { _, index in
        index == child ? MeasurementOutcome(failure: .interrupted) : Fixtures.outcome(wall: [10])
      })
    #expect(
      report.headline == [
        child < 3
          ? "Interrupted before the first round ended."
          : "1 round is too few to rank schedulers; --processes 6 or more does."
      ])
  }

  @Test(
    arguments: [
      ([10], "; serial is faster in 1."), ([30], "."),
      ([30, 10, 20], "; serial is not established to be slower in 1."),
    ] as [([Double], String)])
  func whoIsNotFasterThanSerialIsToldSo(serial: [Double], end: String) throws {
    let report = try report(
      .byRound(["inline": serial, "dispatch": [20], "work-stealing": [90]]), processes: 6)
    #expect(
      report.headline == [
        "Established as fastest: dispatch in 1 group (next: 4.50 times as long)" + end
      ])
  }

  /// A rate is no time: nobody is faster, and nothing takes as long.
  @Test func aRateHasABestAndNotAFastest() throws {
    let rates = ["inline": 300.0, "dispatch": 200, "work-stealing": 100]
    let report = try report(
      FakeRunner { assignment, _ in
        var outcome = Fixtures.outcome(wall: [10])
        outcome.metrics[.knee] = [rates[assignment.name] ?? 0]
        return outcome
      })
    #expect(
      report.headline == [
        "Established as best: dispatch in 1 group (next: 2.00 times worse); serial is better in 1."
      ])
    #expect(report.text(style: .plain).contains("a lower ratio is better"))
  }

  @Test(
    arguments: [([10], "; serial is faster in 1"), ([30], "")] as [([Double], String)])
  func serialIsToldOfBesideTheOnlyScheduler(serial: [Double], end: String) throws {
    let runner = FakeRunner.byRound(["inline": serial, "dispatch": [20]])
    let report = try report(runner, processes: 6) { $0.schedulers = ["inline", "dispatch"] }
    #expect(report.headline == ["1 measurement, nothing to rank beside the baseline" + end])
  }

  /// The headline counts the rows of `inline` below 1 in every group, with a winner or without.
  @Test func theHeadlineCountsSerialAsTheTablesShowIt() throws {
    // Three contestants of chain with a winner come first in each round, then three of fan without.
    let runner = FakeRunner { assignment, index in
      guard assignment.name != "inline" else { return Fixtures.outcome(wall: [20]) }
      let isFirst = assignment.name == "dispatch"
      guard assignment.subject != .workload("fan") else {
        let round = index / 6 + (isFirst ? 1 : 0)
        return Fixtures.outcome(wall: [[100, 130, 80][round % 3]])
      }
      return Fixtures.outcome(wall: [isFirst ? 100 : 300])
    }
    let report = try report(runner) { $0.workloadNames = ["chain", "fan"] }
    let text = report.text(style: .plain)
    let rows = text.split(separator: "\n").filter { $0.contains("  inline ") }
    #expect(rows.count == 2 && report.headline[0].contains("open in 1 of 2"))
    let groups = report.analysis.groups.filter { group in
      group.contestants.contains {
        guard $0.name == "inline", let interval = $0.comparisons[.wall]?.interval else {
          return false
        }
        return interval.high < 1
      }
    }
    #expect(groups.count == 2)
    #expect(report.headline[0].hasSuffix("; serial is faster in 2."), "\(report.headline)")
  }

  @Test func theSerialBaselineIsNeverBestAndInNoHeadline() throws {
    let report = try report(
      .byRound(["inline": [10], "dispatch": [21, 19, 20], "work-stealing": [20]]))
    #expect(report.analysis.groups[0].best(.wall)?.name != "inline")
    #expect(report.headline.allSatisfy { !$0.contains("inline") })
    let line = report.text(style: .plain).split(separator: "\n").first { $0.contains("  inline ") }
    #expect(line?.hasSuffix("serial") == true)
    #expect(try #require(report.analysis.groups[0].contestants[0].comparisons[.wall]).ratio < 0.6)
  }

  @Test func aLatencyWhoseTailContradictsItsMedianIsOpen() throws {
    func text(tail: UInt64) throws -> String {
      try report(
        FakeRunner { assignment, _ in
          let isFirst = assignment.name == "dispatch"
          let body = Array(repeating: isFirst ? 1000 : 1500, count: 480) as [UInt64]
          let end = Array(repeating: isFirst ? tail : 2000, count: 20) as [UInt64]
          return Fixtures.outcome(wall: [10], latencies: body + end)
        }, "latency"
      ).text(style: .plain)
    }
    #expect(
      try text(tail: 2100).hasPrefix(
        "Established as fastest: dispatch in 1 group (next: 1.50 times as long)."))
    let open = try text(tail: 6000)
    #expect(open.hasPrefix("No scheduler is established as the fastest"))
    #expect(open.contains("best by p50, dispatch has 3.00 times the p99 of work-stealing"))
  }

  @Test func aLongNameGetsALineOfItsOwnInsteadOfAWideTable() throws {
    let text = try report(.byRound(["dispatch": [100, 101]])) { request in
      request.references = ["foundation"]
      request.workers = [2, 3]
    }.text(style: .plain)
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    var table = TextTable(columns: [("scheduler", .left), ("wall/op", .right)])
    table.rows = [["work-stealing chain-bound=256", "1 ns"], ["inline", "2 ns"]]
    table.mostWidth = 30
    #expect(
      table.lines(style: .plain) == [
        "  scheduler         wall/op", "  work-stealing chain-bound=256",
        "                       1 ns", "  inline               2 ns",
      ])
  }

  @Test func contestantsOfOneSchedulerAreComparedWithEachOther() throws {
    let plan = try Fixtures.plan(
      {
        $0.workloadNames = ["chain"]
        $0.schedulers = ["stealing"]
        $0.axes = [.init(axis: "spin-us", values: [1, 5])]
      }, suite: TunableSuite.suite)
    let runner = FakeRunner { assignment, _ in
      Fixtures.outcome(wall: [assignment.knobs["spin-us"] == 5 ? 100 : 300])
    }
    let report = Reports.live(plan, runner, suite: TunableSuite.suite)
    let text = report.text(style: .plain)
    #expect(
      text.hasPrefix("Established as fastest: stealing spin-us=5 in 1 group (next: 3.00"))
    #expect(text.contains("stealing spin-us=1   300 ns  300–300 ns    3.00  3.00–3.00"))
    #expect(text.contains("stealing spin-us=5   100 ns  100–100 ns    best"))
  }

  /// The report of nine rounds of schedulers whose figures repeat.
  private func ring(_ figures: [String: [Double]]) throws -> String {
    var suite = Fixtures.suite
    suite.schedulers = figures.keys.sorted().map { Fixtures.scheduler($0) }
    let plan = try Fixtures.plan(
      {
        $0.workloadNames = ["chain"]
        $0.processes = 9
      }, suite: suite, freshSeed: 7)
    return Reports.live(plan, .byRound(figures), suite: suite).text(style: .plain)
  }

  @Test func whereNothingIsEstablishedTheRatiosAreShownAndWhatWouldHelp() throws {
    // Each of three is ahead of the next, by no difference that the rounds establish.
    let text = try ring(["a": [1, 2, 4], "b": [2, 4, 1], "c": [4, 1, 2]])
    #expect(
      text == """
        No scheduler is established as the fastest; more rounds may establish one.

        chain  n=100000 · 2 workers
          scheduler  wall/op  interval      × base  interval
          a          2.00 ns  1.00–4.00 ns    base
          b          2.00 ns  1.00–4.00 ns   0.707  0.250–2.00  open
          c          2.00 ns  1.00–4.00 ns    1.41  0.500–4.00  open
          nobody is best: no difference between schedulers is established; more rounds
          may establish some

        wall/op: first construction to last release, divided by operations; median of
        processes with its 95 % interval.
        × base: nobody is best; ratio to who trails the others least, round by round,
        with its 95 % interval; lower is better. Seed 7.
        open: the interval of the ratio contains 1; no difference is established. Four
        times the rounds (--processes 36) about halve the intervals.

        """)
  }

  @Test func whereTheLastOneIsEstablishedThatIsNotDenied() throws {
    let text = try ring(["a": [1, 2, 4], "b": [2, 4, 1], "c": [4, 1, 2], "d": [50]])
    #expect(
      text.contains(
        """
          nobody is best: each one trails another, not all by an established difference;
          more rounds may tell
        """))
    #expect(!text.contains("no difference between schedulers"))
  }
}
