// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Machine
internal import Statistics

/// Takes pairs with live children: all sides in one, or each in one of its own, in lock-step.
///
/// The sides take turns sample by sample, in an order drawn anew for every turn, and the children
/// are started anew for every pair, in an order drawn as well.
package struct LivePairs: PairTaking {
  private let plan: ComparisonPlan
  private let group: Int
  private let runners: [ChildRunner]
  private let disturbances = DisturbanceProbe()

  /// - Parameters:
  ///   - plan: `pairing` is alternating or lock-step.
  ///   - group: which group of it.
  ///   - interrupt: ends a step at once.
  package init(plan: ComparisonPlan, group: Int, interrupt: InterruptFlag? = nil) {
    self.plan = plan
    self.group = group
    runners = plan.groups[group].executables.map {
      ChildRunner(executable: $0, interrupt: interrupt)
    }
  }

  package mutating func calibrate() throws(PairFailure) -> Calibration {
    var draws = plan.draws(group: group, pair: 0)
    let start = MonotonicClock.nanoseconds()
    let children = try launch(draws.order(of: Array(runners.indices)), draws)
    defer { children.end() }
    try requireSameWork(children)
    let launched = MonotonicClock.nanoseconds() - start
    var runs: [Double] = []
    for side in runners.indices {
      var outcome = MeasurementOutcome()
      try children.iterate(side, Self.trial, into: &outcome)
      runs.append(median(outcome.iterations.map { Double($0.wallNanoseconds) }))
    }
    try children.stop { _, _ in }
    return Calibration(
      runNanoseconds: runs, launchSeconds: Double(launched) / 1e9, sampling: plan.sampling,
      clockStep: Double(MachineFigures.clockStep()))
  }

  package mutating func take(
    pair: Int, sides: [Int], calibration: Calibration
  ) throws(PairFailure) -> [SideMeasurement] {
    var draws = plan.draws(group: group, pair: pair)
    var outcomes = Array(repeating: MeasurementOutcome(), count: runners.count)
    let before = disturbances.read()
    let begin = MonotonicClock.nanoseconds()
    let children = try launch(draws.order(of: sides), draws)
    defer { children.end() }
    for side in draws.order(of: sides) { try children.settle(side, calibration) }
    let turn = Iterations(warmups: calibration.turnWarmups)
    for _ in 0..<calibration.samples {
      for side in draws.order(of: sides) {
        try children.iterate(side, turn, into: &outcomes[side])
      }
    }
    var epoch: Int64?
    try children.stop { last, side in
      epoch = last.jemallocEpochNanoseconds
      // The memory of a process that several sides share is nobody's.
      if let side { outcomes[side].peakRSS = last.peakRSS }
    }
    let elapsed = MonotonicClock.nanoseconds() - begin
    let disturbance = disturbances.read().since(before)
    return sides.map { side in
      outcomes[side].jemallocEpochNanoseconds = epoch
      // Those of the whole pair: whoever is disturbed, it is the pair that is doubtful.
      outcomes[side].disturbance = disturbance
      outcomes[side].elapsedNanoseconds = elapsed
      return SideMeasurement(
        side: side, process: children.process(of: side), outcome: outcomes[side])
    }
  }

  /// What tells how long a run takes: a few of them.
  private static let trial = Iterations(
    warmups: 1, least: 3, most: 1000, budgetNanoseconds: 10_000_000)

  private func launch(_ order: [Int], _ draws: PairDraws) throws(PairFailure) -> SideChildren {
    var children = SideChildren(deadline: plan.childDeadline)
    let assignment = { side in plan.assignment(group: group, side: side, draws: draws) }
    do throws(PairFailure) {
      if plan.pairing == .alternating {
        try children.start(runners[0], sides: order, assignment: assignment)
      } else {
        for side in order {
          try children.start(runners[side], sides: [side], assignment: assignment)
        }
      }
    } catch {
      children.end()
      throw error
    }
    return children
  }

  /// Two revisions of a workload may be different programs under one name.
  private func requireSameWork(_ children: SideChildren) throws(PairFailure) {
    let base = children.operations(of: 0)
    for side in runners.indices where children.operations(of: side) != base {
      throw PairFailure(
        side: side,
        .unavailable(
          reason: "other-work",
          detail: "one run has \(children.operations(of: side)) operations, and \(base) of the "
            + "base; expected the same work on both sides; compare revisions between which the "
            + "workload did not change"))
    }
  }
}
