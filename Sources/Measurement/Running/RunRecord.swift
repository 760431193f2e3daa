// SPDX-License-Identifier: Apache-2.0

internal import Harness

/// What one child measured, and in which round.
package struct ProcessRecord: Sendable {
  /// Counted from 0.
  package let round: Int
  /// Its figures, or why there are none.
  package let outcome: MeasurementOutcome

  package init(round: Int, outcome: MeasurementOutcome) {
    self.round = round
    self.outcome = outcome
  }
}

/// What a run has measured so far.
package struct RunRecord: Sendable {
  /// What was to be measured.
  package let plan: MeasurementPlan
  /// Processes by group and contestant, in order of rounds.
  package var processes: [[[ProcessRecord]]]
  /// True when the user ended the run.
  package var wasInterrupted = false
  /// Rounds that were left out because the budget had no time for them.
  package var roundsLeftOut = 0

  package init(plan: MeasurementPlan) {
    self.plan = plan
    processes = plan.groups.map { $0.contestants.map { _ in [] } }
  }

  /// Rounds that every contestant without a failure of its own has complete.
  package var completeRounds: Int {
    var least = plan.rounds - roundsLeftOut
    for group in processes.indices {
      for contestant in processes[group].indices
      where failure(group: group, contestant: contestant) == nil {
        least = min(least, processes[group][contestant].filter(\.outcome.isComplete).count)
      }
    }
    return least
  }

  /// Contestants of all groups.
  package var contestants: Int { processes.reduce(0) { $0 + $1.count } }

  /// Contestants of whom no process was started, since the time was over before.
  package var contestantsWithoutFigure: Int {
    processes.reduce(0) { sum, group in sum + group.count { $0.isEmpty } }
  }

  /// The first failure of a contestant that is its own, an interruption not counted.
  package func failure(group: Int, contestant: Int) -> (round: Int, MeasurementFailure)? {
    for process in processes[group][contestant] {
      guard let failure = process.outcome.failure, failure != .interrupted else { continue }
      return (process.round, failure)
    }
    return nil
  }

  /// True when some contestant failed.
  package var hasFailures: Bool {
    plan.groups.indices.contains { group in
      plan.groups[group].contestants.indices.contains {
        failure(group: group, contestant: $0) != nil
      }
    }
  }
}
