// SPDX-License-Identifier: Apache-2.0

import Testing
import Traces

@Suite struct WaitCausesTests {
  private func causes(_ hand: HandTrace) throws -> [WaitCause: Int64] {
    let report = TraceReport(hand.sorted)
    let graph = try #require(report.graph)
    #expect(graph.causes.total.total == report.latency.all.readyWait.totalNanoseconds)
    return graph.causes.total.nonZero
  }

  @Test func waitsForBusyWorkersAreTheGraphs() throws {
    var hand = HandTrace(workers: 1)
    hand.startWorkers()
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 110, to: 200, ready: 20)
    // 20 ..< 100 the worker runs, 100 ..< 110 it is on its way.
    #expect(try causes(hand) == [.workersBusy: 80, .handingOver: 10])
  }

  @Test func aSleepingWorkerThatNobodyWakesIsNamed() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(5, 1, .park)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 100, to: 200, ready: 20)
    #expect(try causes(hand) == [.nobodyAwake: 80])
  }

  @Test func aWorkerThatNeverAppearsSleeps() throws {
    var hand = HandTrace(workers: 2)
    hand.trace.threads.removeLast()
    hand.startWorkers()
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 100, to: 200, ready: 20)
    #expect(try causes(hand) == [.nobodyAwake: 80])
  }

  @Test func aWorkerThatNeverSaidItsNumberIsSeenToLookRound() throws {
    var hand = HandTrace(workers: 2)
    hand.trace.threads[1].worker = -1
    hand.event(0, 0, .start)
    hand.event(5, 1, .searchBegins)
    for time in stride(from: Int64(10), through: 150, by: 10) {
      hand.event(time, 1, .stealFails, other: 1)
    }
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 100, to: 200, ready: 20)
    #expect(try causes(hand) == [.lookingElsewhere: 80])
  }

  @Test func thePlaceUnderALimitStaysWithAWorkerThatGoesStraightOn() throws {
    var hand = HandTrace(workers: 2, queues: [TraceQueue(limit: 1)])
    hand.startWorkers()
    hand.event(5, 1, .park)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 110, to: 200, ready: 20) { $0.source = .readyList }
    hand.run(on: 0, from: 210, to: 300, ready: 20) { $0.source = .readyList }
    // The last one waits for the limit also from 100 on, while the worker is on its way to the
    // other.
    #expect(try causes(hand) == [.limit: 80 + 180, .handingOver: 10 + 10])
  }

  @Test func aWorkerBetweenTwoJobsHasRoomForWhatALimitHolds() throws {
    var hand = HandTrace(workers: 2, queues: [TraceQueue(limit: 1)])
    hand.startWorkers()
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 110, to: 200, ready: 20)
    #expect(try causes(hand) == [.limit: 80, .handingOver: 10])
  }

  @Test func aWakeUpIsCutIntoSleepWakingAndHandingOver() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(5, 1, .park)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.event(30, 0, .wake, other: 1)
    hand.event(70, 1, .unpark, other: 0)
    hand.run(on: 1, from: 75, to: 200, ready: 20)
    #expect(try causes(hand) == [.nobodyAwake: 10, .wakingUp: 40, .handingOver: 5])
  }

  @Test func aWakeUpWithoutATargetBelongsToTheNextWhoRuns() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(5, 1, .park)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.event(30, 0, .wake)
    hand.event(70, 1, .unpark)
    hand.run(on: 1, from: 75, to: 200, ready: 20)
    #expect(try causes(hand) == [.nobodyAwake: 10, .wakingUp: 40, .handingOver: 5])
  }

  @Test func aWakeUpThatReachedSomebodyAwakeIsNoLaterSleepers() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(2, 0, .wake)  // before the other one sleeps
    hand.event(5, 1, .park)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.event(70, 1, .unpark)
    hand.run(on: 1, from: 75, to: 200, ready: 20)
    #expect(try causes(hand) == [.nobodyAwake: 50, .handingOver: 5])
  }

  @Test func failedAttemptsAreLooksElsewhereUpToTheLastOne() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(5, 1, .searchBegins)
    for time in stride(from: Int64(10), through: 60, by: 10) {
      hand.event(time, 1, .stealFails, other: 0)
    }
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.event(68, 1, .searchEnds)
    hand.run(on: 1, from: 70, to: 200, ready: 20)
    #expect(try causes(hand) == [.lookingElsewhere: 40, .handingOver: 10])
  }

  @Test func aSearchThatEndsInSleepWasInVain() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(5, 1, .searchBegins)
    hand.event(50, 1, .park)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 100, to: 200, ready: 20)
    #expect(try causes(hand) == [.lookingElsewhere: 30, .nobodyAwake: 50])
  }

  @Test func aWorkerOnItsWayIsNotBlamedForAnotherThatSearches() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(0, 1, .searchBegins)
    for time in stride(from: Int64(10), through: 300, by: 10) {
      hand.event(time, 1, .stealFails, other: 0)
    }
    let first = hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 120, to: 200, ready: 100, after: [first])
    #expect(try causes(hand) == [.handingOver: 20])
  }

  @Test func aLimitIsNamedWhileAWorkerIsFree() throws {
    var hand = HandTrace(workers: 2, queues: [TraceQueue(limit: 1)])
    hand.startWorkers()
    hand.event(5, 1, .park)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 110, to: 200, ready: 20)
    // The room that the first one leaves at 100 is taken by the worker itself.
    #expect(try causes(hand) == [.limit: 80, .handingOver: 10])
  }

  @Test func aLimitThatIsReachedWhileAllAreBusyCostsNothing() throws {
    var hand = HandTrace(workers: 1, queues: [TraceQueue(limit: 1)])
    hand.startWorkers()
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 100, to: 200, ready: 20)
    #expect(try causes(hand) == [.workersBusy: 80])
  }

  @Test func aRaisedLimitHoldsNothingBack() throws {
    var hand = HandTrace(workers: 2, queues: [TraceQueue(limit: 1)])
    hand.startWorkers()
    hand.event(5, 1, .park)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 100, to: 200, ready: 20)
    hand.policy(60, .limit, 2)
    #expect(try causes(hand) == [.limit: 40, .nobodyAwake: 40])
  }

  @Test func aSuspensionWins() throws {
    var hand = HandTrace(workers: 2, queues: [TraceQueue(isSuspended: true)])
    hand.startWorkers()
    hand.event(5, 0, .park)
    hand.event(5, 1, .park)
    hand.policy(100, .suspension, 0)
    hand.event(110, 0, .wake, other: 1)
    hand.event(130, 1, .unpark, other: 0)
    hand.run(on: 1, from: 140, to: 200, ready: 20)
    #expect(
      try causes(hand) == [.suspension: 80, .nobodyAwake: 10, .wakingUp: 20, .handingOver: 10])
  }

  @Test(arguments: [Int64(20), 100])
  func aBarrierHoldsWhenDependenciesHaveFinished(ready: Int64) throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(5, 1, .park)
    let barrier = hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 105, to: 200, added: 20, ready: ready, after: [barrier], kind: .barrier)
    #expect(try causes(hand) == [.barrier: 80, .handingOver: 5])
  }

  @Test func resourcesAndConditionsHoldUntilTheyLetThrough() throws {
    for (hold, cause) in [
      (TracedOperation.Hold.resource, WaitCause.resource), (.condition, .condition),
    ] {
      var hand = HandTrace(workers: 1)
      hand.startWorkers()
      hand.event(5, 0, .park)
      hand.event(60, 0, .unpark)
      hand.run(on: 0, from: 70, to: 100, ready: 10) {
        $0.heldBy = hold
        $0.admitted = 50
      }
      #expect(try causes(hand) == [cause: 40, .nobodyAwake: 10, .handingOver: 10])
    }
  }

  @Test func aWorkerWithoutAProcessorIsTheSystems() throws {
    var hand = HandTrace(workers: 1)
    hand.startWorkers()
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.event(90, 0, .waitedForProcessor, other: 40)
    hand.run(on: 0, from: 140, to: 200, ready: 20)
    hand.event(135, 0, .waitedForProcessor, other: 30)
    // 20 ..< 50 busy, 50 ..< 90 displaced, 90 ..< 100 busy; 100 ..< 105 between, 105 ..< 135
    // displaced, 135 ..< 140 on its way.
    #expect(try causes(hand) == [.workersBusy: 40, .operatingSystem: 70, .handingOver: 10])
  }

  @Test func aJobThatKeepsItsWorkerIsNamed() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(0, 1, .jobBegins)
    hand.event(1_000, 1, .jobEnds)
    for index in 0..<100 {
      let start = Int64(index) * 10
      hand.run(on: 0, from: start, to: start + 10, ready: 0)
    }
    #expect(try causes(hand) == [.workerHeld: 49_500])
  }

  /// A recording that begins within a job has its end alone.
  @Test func theEndOfAJobThatBeganBeforeEndsNothingElse() throws {
    var hand = HandTrace(workers: 1)
    hand.startWorkers()
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.event(40, 0, .jobEnds)
    #expect(TraceReport(hand.sorted).graph?.workAndSpan.work == 100)
  }

  @Test func whatASchedulerDoesNotTellIsUnknown() throws {
    var hand = HandTrace(workers: 2)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 1, from: 30, to: 60, ready: 0)
    hand.run(on: 1, from: 80, to: 90, ready: 10)
    // 30 ..< 60 both run; before and after that one of them does something that nobody tells.
    #expect(try causes(hand) == [.unknown: 30 + 20 + 20, .workersBusy: 30])
  }

  @Test func eachQueueHasItsOwnShares() throws {
    var hand = HandTrace(workers: 2, queues: [TraceQueue(limit: 1), TraceQueue()])
    hand.startWorkers()
    hand.event(5, 1, .park)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 100, to: 200, ready: 50)
    hand.run(on: 0, from: 200, to: 300, ready: 50, queue: 1)
    let graph = try #require(TraceReport(hand.sorted).graph)
    #expect(graph.causes.byQueue[0].nonZero == [.limit: 50])
    #expect(graph.causes.byQueue[1].nonZero == [.nobodyAwake: 150])
    #expect(graph.causes.longest.map(\.operation) == [2, 1])
    #expect(graph.causes.largest == [nil, .limit, .nobodyAwake])
  }
}
