// SPDX-License-Identifier: Apache-2.0

import Harness
import Results
import Testing

@testable import BenchmarkCLI

/// Who is called best, and when nobody is.
@Suite struct VerdictTests {
  private func report(
    _ runner: FakeRunner, _ workload: String = "chain", processes: Int? = nil,
    change: (inout RunRequest) -> Void = { _ in }
  ) throws -> Report {
    let plan = try Fixtures.plan(
      {
        $0.workloadNames = [workload]
        $0.processes = processes
        change(&$0)
      }, freshSeed: 7)
    let record = Orchestrator(plan: plan, runner: runner).run()
    return Report(
      results: GroupResult.all(record), rounds: record.completeRounds, seed: plan.seed,
      notes: plan.notes)
  }

  /// Figures by scheduler and round.
  private func rounds(_ figures: [String: [Double]]) -> FakeRunner {
    var seen: [String: Int] = [:]
    return FakeRunner { assignment, _ in
      let round = seen[assignment.name, default: 0]
      seen[assignment.name] = round + 1
      let values = figures[assignment.name] ?? [100]
      return Fixtures.outcome(wall: [values[round % values.count]])
    }
  }

  @Test func theBestIsChosenByTheRatiosThatArePrinted() throws {
    // In four rounds dispatch is ahead by a hair, in three slower ones far behind: its median is
    // the lower one.
    let report = try report(
      rounds([
        "dispatch": [100, 100, 100, 100, 300, 300, 300],
        "work-stealing": [101, 101, 101, 101, 200, 200, 200],
      ]), processes: 7)
    let result = report.results[0]
    #expect(result.contestants[1].figure(.wall)?.value == 100)
    #expect(result.contestants[2].figure(.wall)?.value == 101)
    #expect(result.best(.wall)?.contestant.name == "work-stealing")
    #expect(try #require(result.contestants[1].comparisons[.wall]).ratio > 1.2)
  }

  @Test(arguments: 1..<(200 as UInt64)) func nobodyRankedIsBetterThanTheBest(seed: UInt64)
    throws
  {
    var generator = SplitMix(state: seed)
    let figures = Dictionary(
      uniqueKeysWithValues: ["inline", "dispatch", "work-stealing"].map { name in
        (name, (0..<8).map { _ in Double(generator.next() % 100 + 1) })
      })
    let result = try report(rounds(figures)).results[0]
    guard let best = result.best(.wall) else { return }
    #expect(best.contestant.name != "inline", "seed \(seed)")
    for contestant in result.ranked {
      #expect((contestant.comparisons[.wall]?.ratio ?? 0) >= 1, "seed \(seed)")
    }
  }

  @Test(arguments: 1...5) func belowSixRoundsNobodyIsRanked(count: Int) throws {
    let text = try report(
      rounds(["inline": [10], "dispatch": [20], "work-stealing": [90]]), processes: count
    ).text(style: .plain)
    #expect(text.contains("too few to rank schedulers; --processes 6 or more does."))
    for word in ["best", "fastest", "lowest"] { #expect(!text.contains(word), "\(text)") }
  }

  @Test func sixRoundsAreEnough() throws {
    let text = try report(
      rounds(["inline": [10], "dispatch": [20], "work-stealing": [90]]), processes: 6
    ).text(style: .plain)
    #expect(text.hasPrefix("Established as fastest: dispatch in 1 group.\n"))
  }

  @Test func theSerialBaselineIsNeverBestAndInNoHeadline() throws {
    let report = try report(
      rounds(["inline": [10], "dispatch": [21, 19, 20], "work-stealing": [20]]))
    #expect(report.results[0].best(.wall)?.contestant.name != "inline")
    #expect(report.headline.allSatisfy { !$0.contains("inline") })
    let line = report.text(style: .plain).split(separator: "\n").first { $0.contains("  inline ") }
    #expect(line?.hasSuffix("serial") == true)
    #expect(try #require(report.results[0].contestants[0].comparisons[.wall]).ratio < 0.6)
  }

  @Test func aRingOfWinnersHasNoBest() throws {
    // Each of three is beaten by the next, by the ratio of the rounds.
    let a: [Double] = [1, 2, 4]
    let figures = ["a": a, "b": [2, 4, 1], "c": [4, 1, 2]]
    var suite = Fixtures.suite
    suite.schedulers = figures.keys.sorted().map { Fixtures.scheduler($0) }
    var request = RunRequest()
    request.workloadNames = ["chain"]
    request.processes = 9
    let plan = try Planner(suite: suite, request: request, cpuCount: 2).plan(freshSeed: 1)
    let record = Orchestrator(plan: plan, runner: rounds(figures)).run()
    let result = GroupResult(record, group: 0)
    #expect(result.best(.wall) == nil)
    #expect(result.contestants.allSatisfy { $0.comparisons.isEmpty })
    let text = Report(results: [result], rounds: 9, seed: 1).text(style: .plain)
    #expect(text.hasPrefix("No scheduler is established as the fastest.\n"))
    #expect(text.contains("nobody is best: each one is beaten by another, round by round"))
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
    #expect(try text(tail: 2100).hasPrefix("Established as fastest: dispatch in 1 group."))
    let open = try text(tail: 6000)
    #expect(open.hasPrefix("No scheduler is established as the fastest"))
    #expect(open.contains("best by p50, dispatch has 3.00 times the p99 of work-stealing"))
  }

  @Test func aLongNameGetsALineOfItsOwnInsteadOfAWideTable() throws {
    let text = try report(rounds(["dispatch": [100, 101]])) { request in
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
}

/// Reproducible random numbers.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
