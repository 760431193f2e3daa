// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import MeasurementFixtures
internal import Testing

@testable internal import Measurement

/// Peers that have their own number of workers, come on request only, or are not in the build.
@Suite struct PeerPlanningTests {
  private static let suite = PeerSuite.suite

  private func plan(
    cpuCount: Int = 4, _ change: (inout MeasurementRequest) -> Void
  ) throws(PlanError) -> MeasurementPlan {
    var request = MeasurementRequest()
    request.filter = "^chain$"
    change(&request)
    return try Planner(suite: Self.suite, request: request, cpuCount: cpuCount).plan(freshSeed: 1)
  }

  @Test func aReferenceHasTheWorkersThatItsWidthSays() throws {
    let references = ["asked", "three", "wide"]
    let planned = try plan {
      $0.workers = [1, 2]
      $0.references = references
    }
    let counts = planned.groups.map { group in
      group.contestants.filter(\.isReference).map { "\($0.name) \($0.workers)" }
    }
    #expect(counts == [["asked 1", "three 3", "wide 4"], ["asked 2", "three 3", "wide 4"]])
    let pinned = try plan {
      $0.cpus = 2
      $0.references = references
    }
    #expect(pinned.groups[0].contestants.filter(\.isReference).map(\.workers) == [2, 3, 2])
  }

  @Test func aSchedulerOnRequestIsMeasuredOnlyWhenNamed() throws {
    #expect(try !plan { _ in }.groups[0].contestants.map(\.name).contains("guest"))
    let named = try plan { $0.schedulers = ["guest"] }
    #expect(named.groups[0].contestants.map(\.name) == ["guest"])
  }
}
