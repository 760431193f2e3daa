// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import TestFolders
import TestSupport
import Testing
import ThreadPoolBackend
import Traces
import WorkStealingBackend

@testable import Profiling

extension RecordingTests {
  /// The snippets of `Programs.md`, word for word, and what they promise.
  @Suite struct ProgramTests {
    @Test func everySnippetOfThePageIsHere() {
      let page = "Sources/Profiling/Profiling.docc/Programs.md"
      let (snippets, missing) = Guide.snippets(of: page, in: #filePath)
      #expect(missing.isEmpty, "\(missing)")
      #expect(snippets == 4)
    }

    private func work() {}

    private func run(_ queue: OperationQueue) {
      let operation = BlockOperation { work() }
      operation.name = "fetch"
      queue.addOperation(operation)
      queue.waitUntilAllOperationsAreFinished()
    }

    @Test func threeLinesRecordAProgram() throws {
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
      try TestDirectory.with { folder in
        let path = folder + "/profile.trace"
        let recording = try Recording.begin()
        run(queue)
        try recording.end().write(to: path)
        let trace = try TraceFile.read(path)
        #expect(try trace.operation("fetch").outcome == .finished)
        #expect(trace.header.workload == "program")
      }
    }

    @Test func theRoomThatARecordingAsksForIsEnough() throws {
      let queue = OperationQueue(scheduler: InlineScheduler())
      var small = Recording.Options()
      small.eventsPerThread = 32
      let recording = try Recording.begin(small)
      for _ in 0..<100 { run(queue) }
      let first = recording.end()
      #expect(first.droppedEvents > 0)
      var options = Recording.Options()
      options.eventsPerThread = first.neededEventsPerThread
      let again = try Recording.begin(options)
      for _ in 0..<100 { run(queue) }
      let second = again.end()
      #expect(second.droppedEvents == 0)
      #expect(second.operationCount == 100)
    }

    @Test func aWaitThatIsTooLongEndsTheRecordingWithItsReport() throws {
      var options = Recording.Options()
      options.breakOver = .milliseconds(5)
      let recording = try Recording.begin(options)
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 1))
      queue.name = "stalled"
      run(queue)
      queue.isSuspended = true
      let waiting = BlockOperation {}
      waiting.name = "waiting"
      queue.addOperation(waiting)
      #expect(waitUntil(deadline: .seconds(60)) { recording.hasBroken })
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
      let run = recording.end()
      let wait = try #require(run.longestWait)
      #expect(wait > .milliseconds(5))
      #expect(try #require(run.stallReport).contains("waiting"))
      // What came afterwards is not in it.
      #expect(try run.trace.operation("waiting").started == nil)
      #expect(try run.trace.operation("fetch").finished != nil)
    }

    @Test func aWaitThatHasEndedIsFoundAsWell() throws {
      let recorder = try Recorder.begin(RecordingOptions(breakOverNanoseconds: 1))
      let queue = OperationQueue(scheduler: ThreadPoolScheduler(workers: 1))
      run(queue)
      #expect(waitUntil(deadline: .seconds(60)) { recorder.broke != nil })
      _ = recorder.end()
      #expect(try #require(recorder.broke).waitNanoseconds >= 1)
    }

    @Test func shortWaitsLeaveTheRecordingAlone() throws {
      var options = Recording.Options()
      options.breakOver = .seconds(1000)
      let recording = try Recording.begin(options)
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
      for _ in 0..<100 { run(queue) }
      let found = recording.end()
      #expect(!recording.hasBroken)
      #expect(found.longestWait == nil && found.stallReport == nil)
      #expect(found.operationCount == 100)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func aWaitOfNoLengthIsRefused(_ wait: Duration) {
      var options = Recording.Options()
      options.breakOver = wait
      #expect(throws: RecordingError.self) { _ = try Recording.begin(options) }
    }
  }
}

/// What a watcher makes of events.
@Suite struct OpenWaitsTests {
  private func ready(_ ticks: UInt64, _ object: UInt) -> RecordedEvent {
    RecordedEvent(ticks: ticks, kind: .ready, object: object)
  }

  private func start(_ ticks: UInt64, _ object: UInt) -> RecordedEvent {
    RecordedEvent(ticks: ticks, kind: .start, object: object)
  }

  @Test func aWaitIsFoundByItsStart() {
    var waits = OpenWaits(threshold: 10)
    #expect(waits.take(ready(5, 1)) == nil)
    #expect(waits.take(start(15, 1)) == nil)
    #expect(waits.take(ready(20, 1)) == nil)
    #expect(waits.take(start(31, 1)) == OpenWaits.Found(ticks: 11, hasStarted: true))
  }

  @Test func oneThatHasNotEndedIsFoundByItsAge() {
    var waits = OpenWaits(threshold: 10)
    #expect(waits.take(ready(5, 1)) == nil)
    #expect(waits.endLook(at: 15) == nil)
    #expect(waits.endLook(at: 16) == OpenWaits.Found(ticks: 11, hasStarted: false))
  }

  @Test func aStartThatIsReadBeforeItsReadyEndsTheWait() {
    var waits = OpenWaits(threshold: 10)
    #expect(waits.take(start(8, 1)) == nil)
    #expect(waits.endLook(at: 9) == nil)
    #expect(waits.take(ready(5, 1)) == nil)
    #expect(waits.endLook(at: 100) == nil)
  }

  @Test func aStartOfLongAgoEndsNoLaterWait() {
    var waits = OpenWaits(threshold: 10)
    #expect(waits.take(start(8, 1)) == nil)
    #expect(waits.take(ready(9, 1)) == nil)
    #expect(waits.endLook(at: 20) == OpenWaits.Found(ticks: 11, hasStarted: false))
  }

  @Test func aFinishWithoutAStartEndsTheWait() {
    var waits = OpenWaits(threshold: 10)
    #expect(waits.take(ready(5, 1)) == nil)
    #expect(waits.take(RecordedEvent(ticks: 6, kind: .finish, object: 1)) == nil)
    #expect(waits.endLook(at: 100) == nil)
  }
}
