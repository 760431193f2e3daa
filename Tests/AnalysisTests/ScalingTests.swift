// SPDX-License-Identifier: Apache-2.0

import Harness
import Measurement
import MeasurementFixtures
import Results
import Testing

@testable import Analysis

/// What more workers give, from figures with known answers.
struct ScalingTests {
  /// A run of chain on every number of workers; a worker takes `cost(workers)` per operation.
  private func scaling(
    workers: [Int], axes: [AxisSelection] = [], cost: @escaping (Int) -> Double
  ) throws -> [ScalingResult] {
    let plan = try Fixtures.plan {
      $0.workloadNames = ["chain"]
      $0.schedulers = ["inline", "work-stealing"]
      $0.workers = workers
      $0.axes = axes
    }
    return Runs.analysis(
      of: plan, FakeRunner { assignment, _ in Fixtures.outcome(wall: [cost(assignment.workers)]) }
    ).scaling
  }

  @Test func theSameSizesAreStrongScaling() throws {
    let results = try scaling(workers: [1, 2, 4]) { [1: 100, 2: 50, 4: 40][$0]! }
    let result = try #require(results.first)
    #expect(results.count == 1, "one that keeps its workers does not scale")
    #expect(result.kind == .strong && result.label == "work-stealing" && result.base == 1)
    #expect(result.points.map(\.workers) == [2, 4])
    #expect(abs(result.points[0].speedup.ratio - 2) < 1e-9)
    #expect(abs(result.points[1].speedup.ratio - 2.5) < 1e-9)
    #expect(abs(result.efficiency(result.points[0]) - 1) < 1e-9)
    #expect(abs(result.efficiency(result.points[1]) - 0.625) < 1e-9)
    #expect(result.points[0].speedup.interval?.low == result.points[0].speedup.interval?.high)
  }

  @Test func sizesThatGrowWithTheWorkersAreWeakScaling() throws {
    let axes = [AxisSelection(axis: "n", values: [], perWorker: [10])]
    let results = try scaling(workers: [2, 4], axes: axes) { [2: 60, 4: 40][$0] ?? 1 }
    let result = try #require(results.first)
    #expect(results.count == 1 && result.kind == .weak && result.base == 2)
    #expect(result.sizes.first { $0.name == "n" }?.value == "10")
    #expect(abs(result.points[0].speedup.ratio - 1.5) < 1e-9)
    #expect(abs(result.efficiency(result.points[0]) - 0.75) < 1e-9)
  }

  @Test func severalSizesAreAFamilyEach() throws {
    let axes = [AxisSelection(axis: "n", values: [10, 20])]
    let results = try scaling(workers: [1, 2], axes: axes) { 100 / Double($0) }
    #expect(results.map(\.kind) == [.strong, .strong])
    #expect(results.map { $0.sizes.first { $0.name == "n" }?.value } == ["10", "20"])
  }

  @Test func oneNumberOfWorkersIsNone() throws {
    #expect(try scaling(workers: [2]) { _ in 10 }.isEmpty)
  }
}
