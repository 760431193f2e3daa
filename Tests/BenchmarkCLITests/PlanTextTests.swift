// SPDX-License-Identifier: Apache-2.0

import Measurement
import MeasurementFixtures
import Testing

@testable import BenchmarkCLI

/// What is said of the time before it is spent.
@Suite struct PlanTextTests {
  /// A replay of two graphs with a second of work each.
  private func plan(_ change: (inout MeasurementRequest) -> Void) throws -> MeasurementPlan {
    try Fixtures.plan {
      $0.graphs = ["a.dot", "b.dot"].map {
        GraphSummary(path: $0, taskCount: 10, totalWorkNanoseconds: 1_000_000_000)
      }
      change(&$0)
    }
  }

  @Test func aBudgetWithoutRoomForSixRoundsSaysSoWithTheTimeItTakes() throws {
    let plan = try plan { $0.budget = .seconds(30) }
    let note = try #require(plan.notes.map(\.text).first { $0.contains("--budget") })
    #expect(note.contains("--budget 30.0 s holds about 3 rounds"))
    #expect(note.contains("take about 48.7 s: --budget 49s"))
  }

  @Test func aBudgetWithoutRoomForOneRoundSaysSo() throws {
    let plan = try plan { $0.budget = .seconds(5) }
    let note = try #require(plan.notes.map(\.text).first { $0.contains("--budget") })
    #expect(note.contains("--budget 5.00 s holds no whole round; 6, from which"))
    let estimate = "estimate: about 5.00 s, in which no round of at least 8.12 s ends"
    #expect(PlanText(plan: plan).text.contains("\n\(estimate)\n"))
  }

  @Test func aDryRunShowsAnEstimate() throws {
    let text = PlanText(plan: try plan { $0.budget = .seconds(30) }).text
    #expect(text.contains("\nestimate: about 30.0 s for 3 rounds of at least 8.12 s\n"))
  }

  @Test func roundsThatTakeLongerThanTheBudgetAreNamed() throws {
    let notes = try plan {
      $0.budget = .seconds(30)
      $0.processes = 8
    }.notes.map(\.text)
    #expect(notes.contains { $0.hasPrefix("8 rounds take about 65.0 s, more than the 30.0 s") })
    let quick = try plan { $0.isQuick = true }.notes.map(\.text)
    #expect(
      quick.contains { $0.hasPrefix("6 rounds, from which schedulers are ranked, take about") })
  }

  @Test func moreWorkersThanCPUsAreNamed() throws {
    func notes(_ workers: [Int], cpus: Int? = nil) throws -> [String] {
      try Fixtures.plan {
        $0.workers = workers
        $0.cpus = cpus
      }.notes.map(\.text)
    }
    #expect(try notes([1, 2]).isEmpty)
    #expect(
      try notes([2, 8]) == ["--workers 8: there are 2 CPUs; more workers than CPUs take turns"])
    #expect(try notes([2], cpus: 1).count == 1)
  }
}
