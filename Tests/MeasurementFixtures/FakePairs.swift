// SPDX-License-Identifier: Apache-2.0

package import Harness
package import Measurement

/// Takes pairs with figures that tests make up, and keeps what it was asked.
package final class FakePairs: PairTaking {
  /// The sides of every pair that was asked for, in order.
  package private(set) var asked: [[Int]] = []
  private let calibration: Result<Calibration, PairFailure>
  private let answer: (Int, Int) throws -> MeasurementOutcome

  /// - Parameters:
  ///   - pairSeconds: what a pair is expected to take.
  ///   - refusal: what the calibration fails of.
  ///   - answer: the outcome of a side in a pair, or a `PairFailure`.
  package init(
    pairSeconds: Double = 0.01, refusal: PairFailure? = nil,
    answer: @escaping (_ pair: Int, _ side: Int) throws -> MeasurementOutcome
  ) {
    calibration =
      refusal.map { .failure($0) }
      ?? .success(Calibration(runs: 3, samples: 2, pairSeconds: pairSeconds))
    self.answer = answer
  }

  package func calibrate() throws(PairFailure) -> Calibration { try calibration.get() }

  package func take(
    pair: Int, sides: [Int], calibration: Calibration
  ) throws(PairFailure) -> [SideMeasurement] {
    asked.append(sides)
    var measured: [SideMeasurement] = []
    for side in sides {
      do {
        measured.append(
          SideMeasurement(side: side, process: 0, outcome: try answer(pair, side)))
      } catch let failure as PairFailure {
        throw failure
      } catch { fatalError("FakePairs: \(error); expected a PairFailure") }
    }
    return measured
  }

  /// The base takes 100 ns, sides so many times as long, with noise of so much either way that
  /// differs from pair to pair.
  package static func steady(_ ratios: [Double], noise: Double = 0.002) -> FakePairs {
    FakePairs { pair, side in
      // Far from a period of the looks, and of no order.
      let step = Double((pair * 37 + side * 11) % 17) / 8 - 1
      let ratio = side == 0 ? 1 : ratios[side - 1]
      return Fixtures.outcome(wall: [100 * ratio * (1 + noise * step)], operations: 1_000_000)
    }
  }
}

extension Fixtures {
  /// The plan of a comparison at default sizes, changed.
  package static func comparison(
    _ change: (inout ComparisonRequest) -> Void = { _ in }, suite: Suite = suite
  ) throws(PlanError) -> ComparisonPlan {
    var request = ComparisonRequest()
    request.measurement.workloadNames = ["chain"]
    request.measurement.schedulers = ["dispatch", "work-stealing"]
    change(&request)
    return try Planner(suite: suite, request: request.measurement, cpuCount: 2)
      .comparison(request, freshSeed: 1)
  }

  /// What a comparison finds when every group has such pairs.
  package static func record(_ plan: ComparisonPlan, _ pairs: FakePairs) -> ComparisonRecord {
    ComparisonDriver(plan: plan, taker: { _ in pairs }).run()
  }
}
