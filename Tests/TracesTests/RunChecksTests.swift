// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Traces

@Suite struct RunChecksTests {
  @Test func cancellationTellsWhenAndWhatForNothing() {
    var hand = HandTrace(workers: 1)
    hand.startWorkers()
    hand.run(on: 0, from: 0, to: 100, ready: 0) { $0.cancelRequested = 40 }  // while running
    hand.run(on: 0, from: 100, to: 101, ready: 0) {  // while ready: passed over
      $0.cancelRequested = 50
      $0.isSkipped = true
    }
    hand.run(on: 0, from: 110, to: 140, added: 0, ready: 90) { $0.cancelRequested = 60 }
    hand.run(on: 0, from: 150, to: 160, ready: 0) { $0.cancelRequested = 500 }
    let report = TraceReport(hand.sorted).cancellation
    #expect(report.count == 4)
    #expect(report[.running] == 1)
    #expect(report[.ready] == 1)
    #expect(report[.pending] == 1)
    #expect(report[.finished] == 1)
    #expect(report.startedAfterRequest == 1)
    #expect(report.requestToObserved.totalNanoseconds == 60 + 50 + 80)
    #expect(report.requestToFinished.totalNanoseconds == 60 + 51 + 80)
    #expect(report.requestToQuiescent == 100)
    #expect(report.wastedRun == 60 + 30)
  }

  @Test func littlesLawComparesOperationsWithArrivalsAndDepartures() {
    var hand = HandTrace(workers: 1)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 100, to: 200, ready: 0)
    let row = TraceReport(hand.sorted).little.rows[0]
    #expect(row.meanTime == 150)
    #expect(row.rate == 2 / 200e-9)
    #expect(row.expectedDepth == 1.5)
    #expect(row.meanDepth == 1.5)
    #expect(row.holds)
  }

  @Test func littlesLawMissesOperationsThatNeverLeft() {
    var hand = HandTrace(workers: 1)
    hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 0, from: 100, to: 200, ready: 0) { $0.finished = nil }
    #expect(!TraceReport(hand.sorted).little.holds)
  }

  @Test func stepsBackAreHeldAgainstTheSkew() {
    var hand = HandTrace(workers: 2)
    hand.trace.header.clockSkewNanoseconds = 5
    let first = hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 1, from: 97, to: 200, ready: 96, after: [first])
    hand.run(on: 1, from: 210, to: 220, ready: 240)
    hand.event(50, 0, .park)
    var trace = hand.sorted
    trace.schedulerEvents.append(SchedulerEvent(time: 40, thread: 0, kind: .unpark))
    let check = TraceReport(trace).order
    let edge = check.rows[OrderCheck.Step.predecessorFinishedStarted.rawValue]
    #expect(edge.negative == 1)
    #expect(edge.beyondSkew == 0)
    #expect(edge.largest == 3)
    let start = check.rows[OrderCheck.Step.readyStarted.rawValue]
    #expect(start.beyondSkew == 1)
    #expect(start.largest == 30)
    #expect(check.disorderedEvents == 1)
    #expect(check.violations == 2)
  }

  @Test func aSkippedOperationDoesNotWaitForItsPredecessors() {
    var hand = HandTrace(workers: 2)
    let first = hand.run(on: 0, from: 0, to: 100, ready: 0)
    hand.run(on: 1, from: 20, to: 21, ready: 20, after: [first]) { $0.isSkipped = true }
    #expect(TraceReport(hand.sorted).order.violations == 0)
    hand.trace.operations[1].isSkipped = false
    #expect(TraceReport(hand.sorted).order.violations == 1)
  }

  @Test func aProjectionFromOneWorkerUsesTheBurdenedSpan() throws {
    var hand = HandTrace(workers: 1)
    hand.startWorkers()
    for index in 0..<10 {
      let start = Int64(index) * 100
      hand.run(on: 0, from: start, to: start + 90, ready: 0)
    }
    let projection = try #require(TraceReport(hand.sorted) { Int64(1_000 / $0) }.graph).projection
    #expect(!projection.isFitted)
    #expect(projection.serial == 990)
    #expect(projection.burdenedSpan == 90)
    // 990 / 2 + (1 - 1/2) * 1.7 * 90
    #expect(projection.bound(workers: 2) == 572)
    #expect(projection.points.map(\.workers) == [1, 2, 4, 8, 16, 32, 64])
    #expect(projection.points[1].scheduled == 500)
    let check = ProjectionCheck(
      projection, workers: 2, measured: 600, speedUp: 1.6, scheduled: 480, unburdened: 400)
    #expect(check.predicted == 715)
    #expect(check.scheduled == 600)
    #expect(check.scheduledError == 0)
    #expect(check.unburdened == 500)
  }

  /// A run that was faster than its share of the work leaves nothing to the span, and still no
  /// graph is run in less than that.
  @Test func noProjectionIsShorterThanTheSpan() throws {
    let trace = ListScheduledRun(workers: 2, operations: 500, predecessors: 3).trace()
    let projection = try #require(TraceReport(trace).graph).projection
    #expect(projection.points.allSatisfy { $0.bound >= projection.span })
    let bare = Projection(
      workers: 2, makespan: 500, work: 1_000, overheadPerOperation: 0, operations: 10,
      span: 80, burdenedSpan: 100, schedule: nil)
    #expect(bare.constant == 0)
    #expect(bare.bound(workers: 64) == 80)
  }

  @Test func aSecondOpinionComesFromTheSimulation() throws {
    var hand = HandTrace(workers: 1)
    hand.startWorkers()
    for index in 0..<4 {
      let start = Int64(index) * 100
      hand.run(on: 0, from: start, to: start + 100, ready: 0)
    }
    let points = try #require(TraceReport(hand.sorted).graph).projection.points
    #expect(points.prefix(3).map(\.scheduled) == [400, 200, 100])
    let schedule = try Projection.schedule(of: hand.sorted, isBurdened: false)
    #expect(schedule(3) == 200)
  }

  @Test func aProjectionFromSeveralWorkersMeetsItsOwnRun() throws {
    let trace = ListScheduledRun(workers: 4, operations: 500, predecessors: 3).trace()
    let report = TraceReport(trace)
    let projection = try #require(report.graph).projection
    #expect(projection.isFitted)
    #expect(projection.constant > 0)
    #expect(abs(projection.bound(workers: 4) - report.window.makespan) <= 1)
    #expect(projection.bound(workers: 8) < report.window.makespan)
  }
}
