// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Statistics

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
  /// What the children that count allocations said, by group and contestant; nil where there was
  /// none.
  package var allocationCounts: [[MeasurementOutcome?]]
  /// True when the user ended the run.
  package var wasInterrupted = false
  /// Rounds that were left out because the budget had no time for them.
  package var roundsLeftOut = 0

  package init(plan: MeasurementPlan) {
    self.plan = plan
    processes = plan.groups.map { $0.contestants.map { _ in [] } }
    allocationCounts = plan.groups.map { $0.contestants.map { _ in nil } }
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

  /// Time within which as many rounds end as are ranked, in whole seconds; nil when there are as
  /// many, or when the time that the user named is not why there are fewer.
  ///
  /// By what the children of this run took, with a margin for a machine whose speed changes.
  package var rankingSeconds: Int? {
    guard plan.budgetIsNamed, roundsLeftOut > 0, completeRounds < PairedRatio.leastPairs else {
      return nil
    }
    return roundSeconds.map { round in
      Int((Self.margin * Double(PairedRatio.leastPairs) * round).rounded(.up))
    }
  }

  /// Factor on the time that rounds took before, for the same number of rounds to end again.
  private static let margin = 1.2

  /// What a round takes on average, in seconds; nil when no child has run.
  ///
  /// A contestant who was not reached counts like the mean of the others.
  private var roundSeconds: Double? {
    let means = processes.joined().filter { !$0.isEmpty }.map { children in
      children.reduce(0) { $0 + Double($1.outcome.elapsedNanoseconds) } / Double(children.count)
    }
    guard !means.isEmpty else { return nil }
    return means.reduce(0, +) / Double(means.count) * Double(contestants) / 1e9
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

  /// True when some contestant failed; that allocations cannot be counted here is no failure.
  package var hasFailures: Bool {
    let counting = allocationCounts.joined().compactMap { $0?.failure }
    let failed = counting.contains { failure in
      switch failure {
      case .unavailable, .interrupted: false
      case .crashed, .hung, .wrongAnswer, .otherConversation: true
      }
    }
    return failed
      || plan.groups.indices.contains { group in
        plan.groups[group].contestants.indices.contains {
          failure(group: group, contestant: $0) != nil
        }
      }
  }
}
