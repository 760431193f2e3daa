// SPDX-License-Identifier: Apache-2.0

internal import Harness

/// Divides the time of a run over its children.
///
/// A child costs at least its start, its warm-up and one timed iteration, which differ by a factor
/// of a hundred between workloads. So the first round spends little, the later ones know what every
/// child costs at least, and what is left goes to all alike: every child gets the same level of
/// timed iterations, and one whose single iteration is above the level takes that.
struct TimeDivision {
  /// A contestant of a group.
  struct Slot: Hashable {
    let group: Int
    let contestant: Int
  }

  /// What a child of a slot was seen to cost, in nanoseconds.
  private struct Cost {
    /// Start, preparation, warm-up and end.
    var fixed: Double
    /// One timed iteration.
    var iteration: Double

    /// What it will cost when its timed iterations go on for `level`, half an iteration of
    /// overshoot included.
    func total(level: Double) -> Double { fixed + max(iteration, level + iteration / 2) }
  }

  private let budget: Double
  private let share: Double
  private var costs: [Slot: Cost] = [:]
  /// Children still to run by slot.
  private var left: [Slot: Int] = [:]
  /// Children that have run.
  private(set) var done = 0

  init(plan: MeasurementPlan) {
    let parts = plan.budget.components
    budget = Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9
    share = budget / Double(max(1, plan.childCount))
    for (group, planned) in plan.groups.enumerated() {
      for contestant in planned.contestants.indices {
        left[Slot(group: group, contestant: contestant)] = plan.rounds
      }
    }
  }

  /// Children still to run.
  var remaining: Int { left.values.reduce(0, +) }

  /// True when one more round, as long as the `rounds` so far were on average, would end after the
  /// time.
  func leavesNoRound(after rounds: Int, _ elapsed: UInt64) -> Bool {
    Double(elapsed) * Double(rounds + 1) > budget * Double(rounds)
  }

  /// Takes note of what a child cost.
  mutating func note(_ slot: Slot, _ outcome: MeasurementOutcome) {
    let timed = outcome.iterations.reduce(0.0) { $0 + Double($1.wallNanoseconds) }
    let count = Double(max(1, outcome.iterations.count))
    costs[slot] = Cost(
      fixed: max(0, Double(outcome.elapsedNanoseconds) - timed), iteration: timed / count)
    left[slot, default: 1] -= 1
    done += 1
  }

  /// Takes note that a slot runs no more children.
  mutating func drop(_ slot: Slot) {
    left[slot] = 0
    done += 1
  }

  /// How long the next child's timed iterations may go on.
  func timedNanoseconds(_ elapsed: UInt64) -> UInt64 {
    let rest = budget - Double(elapsed)
    guard rest > 0 else { return 0 }
    guard left.keys.allSatisfy({ costs[$0] != nil || left[$0] == 0 }) else {
      // First round: nothing is known yet, so a quarter of an equal share.
      return UInt64(min(share, rest) / 4)
    }
    var low = 0.0
    var high = rest
    for _ in 0..<40 {
      let middle = (low + high) / 2
      if expected(level: middle) > rest { high = middle } else { low = middle }
    }
    return UInt64(low)
  }

  /// Seconds until the end, as far as is known.
  func secondsLeft(_ elapsed: UInt64) -> Double {
    let rest = max(0, budget - Double(elapsed))
    guard !costs.isEmpty else { return rest / 1e9 }
    return max(rest, expected(level: 0)) / 1e9
  }

  /// What the remaining children cost together; those of which nothing is known count with an equal
  /// share.
  private func expected(level: Double) -> Double {
    left.reduce(0) { sum, entry in
      sum + Double(entry.value) * (costs[entry.key]?.total(level: level) ?? share)
    }
  }
}
