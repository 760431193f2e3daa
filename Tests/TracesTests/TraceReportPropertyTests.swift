// SPDX-License-Identifier: Apache-2.0

import Testing
import Traces

@Suite struct TraceReportPropertyTests {
  @Test(arguments: 1...60)
  func everyAnalysisKeepsItsSums(seed: Int) throws {
    var draws = SeededDraws(seed: UInt64(seed))
    var run = ListScheduledRun(seed: UInt64(seed))
    run.workers = Int.random(in: 1...6, using: &draws)
    run.operations = Int.random(in: 1...300, using: &draws)
    run.predecessors = Int.random(in: 0...4, using: &draws)
    run.run = 1...Int64.random(in: 1...20_000, using: &draws)
    if run.workers > 1 {
      run.plant = ([nil] + ListScheduledRun.Plant.allCases).randomElement(using: &draws) ?? nil
    }
    let trace = run.trace()
    let report = TraceReport(trace)
    let graph = try #require(report.graph, "seed \(seed)")
    let makespan = report.window.makespan

    let wait = report.latency.all.readyWait.totalNanoseconds
    #expect(graph.causes.total.total == wait, "seed \(seed)")
    #expect(graph.causes.byQueue.reduce(0) { $0 + $1.total } == wait, "seed \(seed)")

    #expect(graph.realisedPath.total == makespan, "seed \(seed)")
    var end = report.window.begin
    for stretch in graph.realisedPath.stretches {
      #expect(stretch.begin == end && stretch.end > stretch.begin, "seed \(seed)")
      end = stretch.end
    }
    #expect(end == report.window.end, "seed \(seed)")

    #expect(graph.workAndSpan.span <= makespan, "seed \(seed)")
    #expect(graph.workAndSpan.span <= graph.workAndSpan.work, "seed \(seed)")
    #expect(graph.burdenedSpan.span >= graph.workAndSpan.span, "seed \(seed)")
    let gaps = graph.realisedPath.total - graph.realisedPath[.run]
    #expect(makespan <= graph.workAndSpan.work + gaps, "seed \(seed)")

    let profile = graph.parallelism
    #expect(profile.capacity == makespan * Int64(run.workers), "seed \(seed)")
    #expect(
      profile.occupied
        == graph.utilisation.rows.reduce(0) {
          $0 + $1[.runs] + $1[.otherJob] + $1[.blocked] + $1[.displacedInJob]
        }, "seed \(seed)")
    for row in graph.utilisation.rows { #expect(row.total == makespan, "seed \(seed)") }

    #expect(report.little.holds, "seed \(seed)")
    #expect(report.order.violations == 0, "seed \(seed)")
    #expect(graph.inversions.count == 0, "seed \(seed)")
  }

  @Test func aReportDoesNotDependOnWhoAsks() throws {
    let trace = ListScheduledRun(predecessors: 3).trace()
    let one = try #require(TraceReport(trace).graph)
    let other = try #require(TraceReport(trace).graph)
    #expect(one.causes == other.causes)
    #expect(one.realisedPath == other.realisedPath)
    #expect(one.parallelism == other.parallelism)
  }
}
