// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import MeasurementFixtures
internal import Testing

@testable internal import Measurement

@Suite struct OrchestratorTests {
  private func plan(_ change: (inout MeasurementRequest) -> Void = { _ in }) throws
    -> MeasurementPlan
  {
    try Fixtures.plan {
      $0.workloadNames = ["chain", "fan"]
      change(&$0)
    }
  }

  @Test func everyRoundRunsEveryContestantOnce() throws {
    let plan = try self.plan()
    let runner = FakeRunner.steady([:])
    let record = Orchestrator(plan: plan, runner: runner).run()
    #expect(runner.assignments.count == plan.childCount)
    for contestants in record.processes {
      for processes in contestants { #expect(processes.map(\.round) == Array(0..<8)) }
    }
    #expect(!record.hasFailures && !record.wasInterrupted)
    #expect(record.completeRounds == 8)
  }

  @Test func childrenComeInTheOrderOfThePlan() throws {
    let plan = try self.plan { $0.processes = 2 }
    let runner = FakeRunner.steady([:])
    _ = Orchestrator(plan: plan, runner: runner).run()
    let expected = (0..<2).flatMap { round in
      plan.groups.indices.flatMap { group in
        plan.order(round: round, group: group).map { plan.groups[group].contestants[$0].name }
      }
    }
    #expect(runner.assignments.map(\.name) == expected)
  }

  @Test func aFailureCostsOneContestantAndIsNotRepeated() throws {
    let plan = try self.plan { $0.processes = 3 }
    var events = 0
    let runner = FakeRunner { assignment, _ in
      assignment.name == "dispatch" && assignment.subject == .workload("fan")
        ? MeasurementOutcome(failure: .crashed(.signalled(11), standardError: ""))
        : Fixtures.outcome(wall: [10])
    }
    let record = Orchestrator(
      plan: plan, runner: runner,
      observe: { if case .failed = $0 { events += 1 } }
    ).run()
    #expect(record.hasFailures)
    #expect(events == 1)
    #expect(record.processes[1][1].count == 1)
    #expect(record.processes[0][1].count == 3)
    #expect(record.completeRounds == 3)
  }

  @Test func allocationsAreCountedOnRequestAloneAndBehindTheRounds() throws {
    let plain = FakeRunner.steady([:])
    let timed = Orchestrator(plan: try plan { $0.processes = 2 }, runner: plain).run()
    #expect(plain.assignments.allSatisfy { !$0.countsAllocations })
    #expect(timed.allocationCounts.joined().allSatisfy { $0 == nil })
    let plan = try self.plan {
      $0.processes = 2
      $0.countsAllocations = true
    }
    let runner = FakeRunner.steady([:])
    let record = Orchestrator(plan: plan, runner: runner).run()
    #expect(plain.assignments.count == plan.childCount)
    let counting = runner.assignments.dropFirst(plan.childCount)
    #expect(
      runner.assignments.prefix(plan.childCount).map(\.seed) == plain.assignments.map(\.seed))
    #expect(counting.map(\.name) == plan.groups.flatMap { $0.contestants.map(\.name) })
    #expect(
      counting.allSatisfy { $0.countsAllocations && $0.warmups == 1 && $0.maximumIterations == 1 })
    #expect(record.allocationCounts.joined().allSatisfy { $0?.isComplete == true })
  }

  @Test func whoeverFailedCountsNothingAndAnInterruptStartsNoCounting() throws {
    let plan = try self.plan {
      $0.processes = 1
      $0.countsAllocations = true
    }
    let runner = FakeRunner { assignment, _ in
      assignment.name == "dispatch"
        ? MeasurementOutcome(failure: .crashed(.signalled(11), standardError: ""))
        : Fixtures.outcome(wall: [10])
    }
    _ = Orchestrator(plan: plan, runner: runner).run()
    #expect(!runner.assignments.contains { $0.countsAllocations && $0.name == "dispatch" })
    #expect(runner.assignments.contains { $0.countsAllocations })
    let late = FakeRunner.steady([:])
    let record = Orchestrator(
      plan: plan, runner: late, isInterrupted: { late.assignments.count == plan.childCount }
    ).run()
    #expect(record.wasInterrupted)
    #expect(late.assignments.count == plan.childCount)
  }

  @Test(arguments: [
    (MeasurementFailure.unavailable(reason: "allocation-counter", detail: ""), false),
    (.crashed(.signalled(11), standardError: ""), true),
  ]) func countsThatCannotBeAreNoFailureOfTheRun(failure: MeasurementFailure, fails: Bool) throws {
    let plan = try self.plan {
      $0.processes = 1
      $0.countsAllocations = true
    }
    let runner = FakeRunner { assignment, _ in
      assignment.countsAllocations
        ? MeasurementOutcome(failure: failure) : Fixtures.outcome(wall: [10])
    }
    #expect(Orchestrator(plan: plan, runner: runner).run().hasFailures == fails)
  }

  @Test func anInterruptedChildEndsTheRun() throws {
    let plan = try self.plan()
    let runner = FakeRunner { _, index in
      index == 7 ? MeasurementOutcome(failure: .interrupted) : Fixtures.outcome(wall: [10])
    }
    let record = Orchestrator(plan: plan, runner: runner).run()
    #expect(record.wasInterrupted)
    #expect(runner.assignments.count == 8)
    #expect(record.completeRounds == 1)
    #expect(!record.hasFailures, "an interruption is nobody's failure")
  }

  @Test func anInterruptBetweenChildrenStartsNoOther() throws {
    let runner = FakeRunner.steady([:])
    let record = Orchestrator(
      plan: try plan(), runner: runner, isInterrupted: { runner.assignments.count == 3 }
    ).run()
    #expect(runner.assignments.count == 3)
    #expect(record.wasInterrupted)
  }

  @Test func aRunOverItsBudgetEndsAfterTheLeastRoundsForAnInterval() throws {
    var clock: UInt64 = 0
    func run(_ plan: MeasurementPlan) -> RunRecord {
      clock = 0
      let runner = FakeRunner { _, _ in
        clock += 10_000_000_000
        return Fixtures.outcome(wall: [10])
      }
      return Orchestrator(plan: plan, runner: runner, now: { clock }).run()
    }
    #expect(run(try plan()).roundsLeftOut == 2)
    #expect(run(try plan { $0.processes = 8 }).roundsLeftOut == 0)
    #expect(run(try plan { $0.isQuick = true }).roundsLeftOut == 0)
  }

  @Test func aRoundThatWouldEndAfterTheBudgetIsNotStarted() throws {
    for (secondsPerRound, isNamed, rounds) in [
      (9.0, true, 8), (11.0, true, 7), (12.5, true, 6), (20.0, true, 4), (85.0, true, 1),
      (9.0, false, 8), (12.5, false, 6), (20.0, false, 6),
    ] {
      var clock: UInt64 = 0
      let plan = try plan { $0.budget = isNamed ? .seconds(80) : nil }
      #expect(plan.budget == .seconds(80))
      let perChild = secondsPerRound * 1e9 * Double(plan.rounds) / Double(plan.childCount)
      let runner = FakeRunner { _, _ in
        clock += UInt64(perChild)
        return Fixtures.outcome(wall: [10])
      }
      let record = Orchestrator(plan: plan, runner: runner, now: { clock }).run()
      #expect(record.completeRounds == rounds, "\(secondsPerRound) s a round")
      #expect(record.roundsLeftOut == 8 - rounds)
    }
  }

  /// The time that the user named is kept in the first round as well, but for the process that
  /// runs when it is over, and the contestants that come later have no figure.
  @Test func aNamedBudgetEndsTheFirstRound() throws {
    for (isNamed, isFixed, measured) in [
      (true, false, 3), (true, true, nil), (false, false, nil), (false, true, nil),
    ] as [(Bool, Bool, Int?)] {
      var clock: UInt64 = 0
      let plan = try plan {
        $0.budget = isNamed ? .seconds(80) : nil
        $0.processes = isFixed ? 2 : nil
      }
      let runner = FakeRunner { _, _ in
        clock += 40_000_000_000
        return Fixtures.outcome(wall: [10])
      }
      // Looking at the clock takes time as well.
      func now() -> UInt64 {
        clock += 100
        return clock
      }
      let record = Orchestrator(plan: plan, runner: runner, now: now).run()
      #expect(runner.assignments.count == measured ?? (isFixed ? 2 : 6) * record.contestants)
      #expect(!record.wasInterrupted && !record.hasFailures)
      guard let measured else {
        #expect(record.contestantsWithoutFigure == 0)
        continue
      }
      #expect(record.completeRounds == 0)
      #expect(record.roundsLeftOut == plan.rounds)
      #expect(record.contestantsWithoutFigure == record.contestants - measured)
    }
  }

  /// By what the children took; 6 rounds of 6 × 12 s and a fifth.
  @Test func onlyATimeThatTheUserNamedIsToldHowLongItShouldHaveBeen() throws {
    func seconds(_ perChild: UInt64, _ change: (inout MeasurementRequest) -> Void) throws -> Int? {
      var clock: UInt64 = 0
      let runner = FakeRunner { _, _ in
        clock += perChild * 1_000_000_000
        var outcome = Fixtures.outcome(wall: [10])
        outcome.elapsedNanoseconds = perChild * 1_000_000_000
        return outcome
      }
      return Orchestrator(plan: try plan(change), runner: runner, now: { clock }).run()
        .rankingSeconds
    }
    #expect(try plan().groups.reduce(0) { $0 + $1.contestants.count } == 6)
    #expect(try seconds(12) { $0.budget = .seconds(80) } == 519)
    #expect(try seconds(1) { $0.budget = .seconds(80) } == nil)
    #expect(try seconds(12) { _ in } == nil)
    #expect(
      try seconds(12) {
        $0.budget = .seconds(80)
        $0.processes = 2
      } == nil)
  }

  @Test func theBudgetIsSpentAndNotOverspent() throws {
    // A simulated machine: starting a child costs 5 ms; an iteration of chain 40 ms, of fan 1 ms.
    let plan = try self.plan { $0.budget = .seconds(10) }
    var clock: UInt64 = 0
    let runner = FakeRunner { assignment, _ in
      let iteration: UInt64 = assignment.subject == .workload("chain") ? 40_000_000 : 1_000_000
      let count = max(1, (assignment.timeBudgetNanoseconds + iteration - 1) / iteration)
      var outcome = Fixtures.outcome(
        wall: Array(repeating: Double(iteration), count: Int(count)), operations: 1)
      outcome.elapsedNanoseconds = 5_000_000 + iteration * (count + 1)
      clock += outcome.elapsedNanoseconds
      return outcome
    }
    let record = Orchestrator(plan: plan, runner: runner, now: { clock }).run()
    #expect(record.completeRounds == 8)
    #expect(clock > 8_000_000_000, "\(clock)")
    #expect(clock < 11_000_000_000, "\(clock)")
  }

  @Test func aBudgetTooSmallStillMeasuresOneIterationEach() throws {
    let plan = try self.plan {
      $0.budget = .milliseconds(100)
      $0.processes = 2
    }
    let runner = FakeRunner.steady([:])
    _ = Orchestrator(plan: plan, runner: runner).run()
    #expect(runner.assignments.allSatisfy { $0.minimumIterations == 1 && $0.warmups == 1 })
  }
}
