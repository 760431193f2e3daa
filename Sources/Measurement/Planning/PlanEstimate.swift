// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Statistics

/// What a plan is expected to take, before anything is measured.
///
/// A round takes at least the start of every child, its warm-up and one timed iteration. What that
/// is, is known of a replay, whose work is recorded, and guessed of a workload from its number of
/// operations.
package struct PlanEstimate {
  /// Start and end of a child, in seconds.
  package static let childSeconds = 0.02
  /// An operation of a workload, in seconds: a round figure between the schedulers.
  package static let operationSeconds = 1e-6

  /// What an iteration of a workload takes one worker, in seconds; 0 for parameters that it
  /// refuses, which cost no more than a process.
  static func iterationSeconds(
    of workload: WorkloadDescription, _ parameters: Parameters
  ) -> Double {
    if let known = workload.iterationSeconds { return known(parameters) }
    let operations = (try? workload.make(parameters))?.operationsPerIteration ?? 0
    return Double(operations) * operationSeconds
  }

  let plan: MeasurementPlan

  package init(plan: MeasurementPlan) { self.plan = plan }

  /// One round without any iteration more than needed, in seconds.
  package var roundSeconds: Double {
    plan.groups.reduce(0) { sum, group in
      group.contestants.reduce(sum) { sum, contestant in
        let width = group.sharesWork ? max(1, min(contestant.workers, plan.cpuCount)) : 1
        return sum + Self.childSeconds
          + Double(plan.warmups + 1) * group.iterationSeconds / Double(width)
      }
    }
  }

  /// Rounds that the run will take: as many as fit, and no fewer than are promised.
  package var rounds: Int {
    guard !plan.roundsAreFixed, roundSeconds > 0 else { return plan.rounds }
    let fitting = Int(min(budgetSeconds / roundSeconds, Double(plan.rounds)))
    return min(plan.rounds, max(fitting, plan.leastRounds))
  }

  /// The whole run, in seconds; the time that is left by the rounds goes into more iterations.
  package var seconds: Double { max(budgetSeconds, Double(rounds) * roundSeconds) }

  private var budgetSeconds: Double {
    let parts = plan.budget.components
    return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  }

  /// What whoever asked should know before it starts; nil when the time is enough.
  var warning: PlanNote? {
    let enough = PairedRatio.leastPairs
    if plan.roundsAreFixed {
      let needed = Double(plan.rounds) * roundSeconds
      guard needed > budgetSeconds else { return nil }
      return .roundsExceedTime(rounds: plan.rounds, seconds: needed, budget: plan.budget)
    }
    let needed = Double(min(enough, plan.rounds)) * roundSeconds
    guard needed > budgetSeconds else { return nil }
    guard plan.budgetIsNamed else { return .takesLong(wanted: enough, seconds: needed) }
    return .timeIsShort(budget: plan.budget, holds: rounds, wanted: enough, seconds: needed)
  }
}
