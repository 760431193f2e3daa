// SPDX-License-Identifier: Apache-2.0

internal import Harness

/// Takes a plan through its rounds.
///
/// Rounds are the outer loop, so that slow drift of the machine touches every contestant alike and
/// an interrupted run has figures for everything. A contestant that failed is not measured again:
/// it has lost its row, and a hang would cost its deadline in every round.
package struct Orchestrator {
  /// What happens during a run, for whoever shows its progress.
  package enum Event {
    /// A child is about to start: how many are done, out of how many, and the time left in seconds,
    /// if known.
    case starting(group: Int, contestant: Int, round: Int, done: Int, of: Int, secondsLeft: Double)
    /// A child failed.
    case failed(group: Int, contestant: Int, round: Int, MeasurementFailure)
    /// A child that counts allocations is about to start.
    case countingAllocations(group: Int, contestant: Int)
    /// The allocations of a contestant were not counted.
    case allocationsUncounted(group: Int, contestant: Int, MeasurementFailure)
  }

  let plan: MeasurementPlan
  let runner: any ChildMeasuring
  let now: () -> UInt64
  let isInterrupted: () -> Bool
  let observe: (Event) -> Void

  /// - Parameters:
  ///   - plan: what to measure.
  ///   - runner: runs the children.
  ///   - now: a monotonic clock in nanoseconds.
  ///   - isInterrupted: asked before every child.
  ///   - observe: told about every child.
  package init(
    plan: MeasurementPlan, runner: any ChildMeasuring,
    now: @escaping () -> UInt64 = { MonotonicClock.nanoseconds() },
    isInterrupted: @escaping () -> Bool = { false },
    observe: @escaping (Event) -> Void = { _ in }
  ) {
    self.plan = plan
    self.runner = runner
    self.now = now
    self.isInterrupted = isInterrupted
    self.observe = observe
  }

  /// Measures until everything is done, the user interrupts, or the time is over and enough rounds
  /// are complete.
  package func run() -> RunRecord {
    var record = RunRecord(plan: plan)
    var time = TimeDivision(plan: plan)
    let start = now()
    for round in 0..<plan.rounds {
      let elapsed = now() - start
      // The first round begins in any case: nothing is known yet.
      if !plan.roundsAreFixed, round >= max(1, plan.leastRounds),
        time.leavesNoRound(after: round, elapsed)
      {
        record.roundsLeftOut = plan.rounds - round
        break
      }
      switch run(round: round, start: start, time: &time, into: &record) {
      case .complete: continue
      case .interrupted: record.wasInterrupted = true
      case .outOfTime: record.roundsLeftOut = plan.rounds - round
      }
      break
    }
    if plan.countsAllocations, !record.wasInterrupted { countAllocations(into: &record) }
    return record
  }

  /// One more child for every contestant that has figures, none of which is a time.
  private func countAllocations(into record: inout RunRecord) {
    for group in plan.groups.indices {
      for contestant in plan.groups[group].contestants.indices
      where record.processes[group][contestant].contains(where: \.outcome.isComplete)
        && record.failure(group: group, contestant: contestant) == nil
      {
        guard !isInterrupted() else {
          record.wasInterrupted = true
          return
        }
        observe(.countingAllocations(group: group, contestant: contestant))
        let outcome = runner.measure(
          plan.countingAssignment(group: group, contestant: contestant),
          deadline: plan.childDeadline)
        guard outcome.failure != .interrupted else {
          record.wasInterrupted = true
          return
        }
        record.allocationCounts[group][contestant] = outcome
        if let failure = outcome.failure {
          observe(.allocationsUncounted(group: group, contestant: contestant, failure))
        }
      }
    }
  }

  /// How a round ended.
  private enum RoundEnd { case complete, interrupted, outOfTime }

  /// One round of every group.
  private func run(
    round: Int, start: UInt64, time: inout TimeDivision, into record: inout RunRecord
  ) -> RoundEnd {
    for group in plan.groups.indices {
      for contestant in plan.order(round: round, group: group) {
        let slot = TimeDivision.Slot(group: group, contestant: contestant)
        guard record.failure(group: group, contestant: contestant) == nil else { continue }
        guard !isInterrupted() else { return .interrupted }
        let elapsed = now() - start
        if let most = plan.mostNanoseconds, elapsed > most { return .outOfTime }
        observe(
          .starting(
            group: group, contestant: contestant, round: round, done: time.done,
            of: time.done + time.remaining, secondsLeft: time.secondsLeft(elapsed)))
        var assignment = plan.assignment(
          round: round, group: group, contestant: contestant,
          timeBudgetNanoseconds: time.timedNanoseconds(elapsed))
        assignment.countsHardware = true
        let outcome = runner.measure(assignment, deadline: plan.childDeadline)
        record.processes[group][contestant].append(ProcessRecord(round: round, outcome: outcome))
        if outcome.failure == .interrupted { return .interrupted }
        if let failure = outcome.failure {
          time.drop(slot)
          observe(.failed(group: group, contestant: contestant, round: round, failure))
        } else {
          time.note(slot, outcome)
        }
      }
    }
    return .complete
  }
}
