// SPDX-License-Identifier: Apache-2.0

import Results
import Statistics
import Testing

@testable import Analysis

@Suite struct FileComparisonTests {
  private func identity(_ run: String = "01KG9RKVG0T5Z0N9QX3W7B4E2M") throws -> RunIdentity {
    RunIdentity(
      time: try #require(Timestamp(text: "2026-01-31T12:00:00Z")),
      runID: try #require(RunID(text: run)),
      machineID: try #require(MachineID(text: "h:3fa9c0d2e4b86a17")))
  }

  /// An aggregate and its processes; none of the latter has a figure where the value is missing.
  private func rows(
    _ values: [Double?], metric: Metric = .wall, scheduler: String = "dispatch", role: Role? = nil,
    code: CodeIdentity = CodeIdentity(binary: "b:0000000000000001"), width: Int = 10
  ) throws -> [ResultRow] {
    let run = try identity()
    let subject = Subject(
      suite: "core", benchmark: "fan", params: RowParameters([("width", "\(width)")]),
      scheduler: scheduler, allocator: "jemalloc", metric: metric, statistic: .p50)
    return ([(nil, 1)] + values.enumerated().map { ($0.offset + 1, $0.element) }).map {
      (process: Int?, value: Double?) in
      ResultRow(
        run: run, code: code, subject: subject, value: value, process: process, role: role,
        quality: value == nil ? [.crashed] : [])
    }
  }

  private func comparison(_ base: [ResultRow], _ candidate: [ResultRow]) -> FileComparison {
    FileComparison(base: RunFigures(base), candidate: RunFigures(candidate))
  }

  /// Critical ranks that a count of all arrangements gives; beyond 20 the normal distribution has
  /// to hit them too.
  @Test(
    arguments: [
      (4, 4, 1), (3, 5, 1), (4, 5, 2), (8, 8, 14), (7, 12, 19), (20, 20, 128), (21, 21, 143),
      (30, 25, 259),
    ]) func theIntervalTakesTheRatiosThatTheRankSumTestAccepts(m: Int, n: Int, rank: Int) throws
  {
    // Figures without order; 331 and 577 run through all of a prime.
    let base = (1...m).map { 100 + Double($0 * 331 % 1009) }
    let candidate = (1...n).map { 1.3 * (100 + Double($0 * 577 % 1009)) }
    let figure = try #require(comparison(try rows(base), try rows(candidate)).figures.first)
    let ratios = candidate.flatMap { value in base.map { value / $0 } }.sorted()
    let found = try #require(figure.ratio)
    let interval = try #require(found.interval)
    func isClose(_ one: Double, _ other: Double) -> Bool { abs(one / other - 1) < 1e-12 }
    #expect(isClose(interval.low, ratios[rank - 1]))
    #expect(isClose(interval.high, ratios[ratios.count - rank]))
    // The median in logarithms, as the estimate is.
    let middle = (ratios[(ratios.count - 1) / 2] * ratios[ratios.count / 2]).squareRoot()
    #expect(isClose(found.ratio, middle))
    #expect(figure.base.median == median(base) && figure.candidate.median == median(candidate))
    #expect(figure.isApart == !interval.contains(1))
  }

  @Test func equalFiguresAreNotApartAndFewHaveNoInterval() throws {
    let equal = [Double](repeating: 431.25, count: 8)
    let figure = try #require(comparison(try rows(equal), try rows(equal)).figures.first)
    #expect(
      figure.ratio?.ratio == 1 && figure.ratio?.interval == Interval(low: 1, high: 1, level: 0.95))
    #expect(!figure.isApart)
    let few = try #require(
      comparison(try rows([1, 2, 3]), try rows([10, 20, 30])).figures.first)
    #expect(abs((few.ratio?.ratio ?? 0) - 10) < 1e-12)
    #expect(few.ratio?.interval == nil && !few.isApart)
    // A ratio to 0 says nothing.
    let idle = try #require(comparison(try rows([0, 1]), try rows([1, 1])).figures.first)
    #expect(idle.ratio == nil && idle.base.median == 0.5)
  }

  @Test func contestantsMeetAtTheirPointWithThePrimaryMetricAndTheProcessorTime() throws {
    let base =
      try rows([1, 1]) + rows([2, 2], metric: .cpu) + rows([3, 3], metric: .throughput)
      + rows([4, 4], scheduler: "inline") + rows([nil, 9], scheduler: "serial")
    var later =
      try rows([1, 1]) + rows([4, 4], scheduler: "inline", width: 20)
      + rows([5, 5], scheduler: "serial") + rows([4, 4], metric: .cpu, scheduler: "serial")
    // Other code is what files are compared for.
    for place in later.indices { later[place].code.binary = "b:0000000000000002" }
    let found = comparison(base, later)
    try #require(found.figures.count == 4)
    #expect(found.figures.map(\.metric) == [.wall, .cpu, .wall, .cpu])
    #expect(found.figures.map(\.id.scheduler) == ["dispatch", "dispatch", "serial", "serial"])
    #expect(found.figures[0].ratio?.ratio == 1 && found.figures[1].ratio == nil)
    #expect(found.figures[2].base.failure == .crashed && found.figures[2].base.processes == 1)
    #expect(found.onlyInBase.map(\.params.text) == ["width:10"])
    #expect(found.onlyInCandidate.map(\.params.text) == ["width:20"])
  }

  @Test func aComparisonOfBuildsCountsAsItsCandidateAndASchedulerAgainstItselfOnce() throws {
    let (old, new) = (
      CodeIdentity(binary: "b:0000000000000001"), CodeIdentity(binary: "b:0000000000000002")
    )
    let builds = RunFigures(
      try rows([1, 1], role: .a, code: old) + rows([2, 2], role: .b, code: new))
    #expect(builds.code == new && builds.leavesOutCode)
    #expect(builds.contestants.map(\.samples[.wall]?.values) == [[2, 2]])
    let same = RunFigures(try rows([1, 1], role: .a) + rows([2, 2], role: .b))
    #expect(!same.leavesOutCode)
    #expect(same.contestants.map(\.samples[.wall]?.values) == [[1, 1]])
  }
}
