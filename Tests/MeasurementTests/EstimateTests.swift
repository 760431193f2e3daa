// SPDX-License-Identifier: Apache-2.0

internal import MeasurementFixtures
internal import Testing

@testable internal import Measurement

/// What a plan is expected to take, before it does.
@Suite struct EstimateTests {
  /// A replay of two graphs with a second of work each.
  private func plan(_ change: (inout MeasurementRequest) -> Void) throws -> MeasurementPlan {
    try Fixtures.plan {
      $0.graphs = ["a.dot", "b.dot"].map {
        GraphSummary(path: $0, taskCount: 10, totalWorkNanoseconds: 1_000_000_000)
      }
      change(&$0)
    }
  }

  @Test func aBudgetWithoutRoomForSixRoundsSaysWhatTheyTake() throws {
    let plan = try plan { $0.budget = .seconds(30) }
    // Per graph: 2 s of iterations in line, half of that with each of the two others; and six
    // children.
    let estimate = PlanEstimate(plan: plan)
    #expect(abs(estimate.roundSeconds - (8 + 6 * PlanEstimate.childSeconds)) < 0.001)
    #expect(
      plan.notes == [
        .timeIsShort(
          budget: .seconds(30), holds: 3, wanted: 6, seconds: 6 * estimate.roundSeconds)
      ])
    #expect(plan.leastRounds == 0)
  }

  /// A process that replays minutes of work is not hung because the budget is short.
  @Test func aLongProcessIsNotTakenForAHungOne() throws {
    let short = try plan { $0.budget = .seconds(5) }
    #expect(short.childDeadline == .seconds(30))
    let long = try plan {
      $0.budget = .seconds(5)
      $0.timeScale = 60
    }
    // In line it takes 60 s to warm up and 60 s to measure.
    #expect(long.childDeadline >= .seconds(4 * 120))
  }

  @Test func aBudgetWithRoomSaysNothing() throws {
    #expect(try plan { $0.budget = .seconds(60) }.notes.isEmpty)
    #expect(try plan { _ in }.notes.isEmpty)
    #expect(try plan { _ in }.leastRounds == 6)
  }
}
