// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results

/// What a plan is expected to take, before anything is measured.
///
/// A round takes at least the start of every child, its warm-up and one timed iteration. What that
/// is, is known of a replay, whose work is recorded, and guessed of a workload from its number of
/// operations.
struct PlanEstimate {
  /// Start and end of a child, in seconds.
  static let childSeconds = 0.02
  /// An operation of a workload, in seconds: a round figure between the schedulers.
  static let operationSeconds = 1e-6

  let plan: MeasurementPlan

  /// One round without any iteration more than needed, in seconds.
  var roundSeconds: Double {
    plan.groups.reduce(0) { sum, group in
      group.contestants.reduce(sum) { sum, contestant in
        let width = group.sharesWork ? max(1, min(contestant.workers, plan.cpuCount)) : 1
        return sum + Self.childSeconds
          + Double(plan.warmups + 1) * group.iterationSeconds / Double(width)
      }
    }
  }

  /// Rounds that the run will take: as many as fit, and no fewer than are promised.
  var rounds: Int {
    guard !plan.roundsAreFixed, roundSeconds > 0 else { return plan.rounds }
    let fitting = Int(min(budgetSeconds / roundSeconds, Double(plan.rounds)))
    return min(plan.rounds, max(fitting, plan.leastRounds))
  }

  /// The whole run, in seconds; the time that is left by the rounds goes into more iterations.
  var seconds: Double { max(budgetSeconds, Double(rounds) * roundSeconds) }

  private var budgetSeconds: Double {
    let parts = plan.budget.components
    return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  }

  /// One line for `--dry-run`.
  var text: String {
    let round = "of at least \(Self.text(roundSeconds))"
    guard rounds > 0 else {
      return "estimate: about \(Self.text(seconds)), in which no round \(round) ends"
    }
    return "estimate: about \(Self.text(seconds)) for \(RunText.rounds(rounds)) \(round)"
  }

  /// What the user should know before it starts; nil when the time is enough.
  var warning: String? {
    let enough = Orchestrator.leastRoundsForInterval
    let budget = UnitFormatter.duration(plan.budget)
    if plan.roundsAreFixed {
      let needed = Double(plan.rounds) * roundSeconds
      guard needed > budgetSeconds else { return nil }
      return "\(plan.rounds) rounds take about \(Self.text(needed)), more than the \(budget) to "
        + "measure; --processes insists on them"
    }
    let needed = Double(min(enough, plan.rounds)) * roundSeconds
    guard needed > budgetSeconds else { return nil }
    if plan.budgetIsNamed {
      let held = rounds == 0 ? "no whole round" : "about \(RunText.rounds(rounds))"
      return "--budget \(budget) holds \(held); "
        + "\(enough), from which schedulers are ranked, take about \(Self.text(needed)): "
        + "--budget \(Int(needed.rounded(.up)))s"
    }
    return "\(enough) rounds, from which schedulers are ranked, take about \(Self.text(needed)); "
      + "--budget sets a limit that is kept"
  }

  private static func text(_ seconds: Double) -> String {
    UnitFormatter.text(seconds * 1e9, unit: "ns")
  }
}
