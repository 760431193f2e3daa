// SPDX-License-Identifier: Apache-2.0

import Operations
import OperationsDiagnosis
import Scheduling
import Synchronization
import TestSupport
import Testing
import Traces
import WorkStealingBackend

@testable import Profiling

extension RecordingTests {
  /// What a recording has of what was done.
  @Suite struct HookTests {
    @Test(arguments: Kind.allCases)
    func everyOperationHasItsSixTimesInOrder(_ kind: Kind) throws {
      let trace = try recording(on: kind) { queue, _ in
        var last: [Operation] = []
        for layer in 0..<20 {
          let operations = (0..<10).map { index in
            let operation = BlockOperation {}
            operation.name = "\(layer).\(index)"
            for dependency in last { operation.addDependency(dependency) }
            return operation
          }
          queue.addOperations(operations, waitUntilFinished: false)
          last = operations
        }
      }
      #expect(trace.header.droppedEvents == 0)
      #expect(trace.operations.count == 200)
      #expect(trace.edges.count == 19 * 100)
      // Queues that other tests have left alive are in every recording.
      let names = trace.queues.map { trace.names[Int($0.name)] }
      let queue = try #require(names.firstIndex(of: "recorded"))
      #expect(names.count { $0 == "recorded" } == 1)
      for operation in trace.operations {
        #expect(operation.times.count == 5)
        #expect(operation.hasOrderedTimes(within: trace.header.clockSkewNanoseconds))
        #expect(operation.outcome == .finished)
        #expect(trace.names[Int(operation.kind)] == "BlockOperation")
        #expect(operation.queue == queue)
        #expect(operation.thread >= 0)
      }
    }

    /// Nothing of a batch may run before all of it is in, so none of it waits for a worker before.
    @Test(arguments: [Kind.workStealing, .threadPool], [-1, 2])
    func aBatchIsReadyWhenAllOfItIsIn(_ kind: Kind, limit: Int) throws {
      let trace = try recording(on: kind) { queue, _ in
        queue.maxConcurrentOperationCount = limit
        queue.addOperations((0..<200).map { _ in BlockOperation {} }, waitUntilFinished: true)
      }
      let lastIn = try #require(trace.operations.compactMap(\.enqueued).max())
      let times = trace.operations.compactMap(\.ready)
      #expect(trace.operations.count == 200 && times.count == 200)
      #expect(times.allSatisfy { $0 >= lastIn })
    }

    @Test(arguments: Kind.allCases)
    func anEdgeNamesBothAndTheReleaserIsThePredecessorThatFinishedLast(_ kind: Kind) throws {
      let trace = try recording(on: kind) { queue, _ in
        let first = BlockOperation {}
        let second = BlockOperation {}
        let third = BlockOperation {}
        (first.name, second.name, third.name) = ("first", "second", "third")
        second.addDependency(first)
        third.addDependency(second)
        third.addDependency(first)
        queue.addOperations([third, second, first], waitUntilFinished: false)
      }
      let (first, second) = (try trace.index("first"), try trace.index("second"))
      let third = try trace.index("third")
      let edges = Set(trace.edges.map { [Int($0.predecessor), Int($0.successor)] })
      #expect(edges == [[first, second], [second, third], [first, third]])
      #expect(trace.operations[first].releasedBy == -1)
      #expect(trace.operations[second].releasedBy == Int32(first))
      #expect(trace.operations[third].releasedBy == Int32(second))
    }

    @Test(arguments: Kind.allCases)
    func closuresAreOperations(_ kind: Kind) throws {
      let trace = try recording(on: kind) { queue, _ in
        for _ in 0..<100 { queue.addOperation {} }
      }
      #expect(trace.operations.count == 100)
      for operation in trace.operations {
        #expect(trace.names[Int(operation.kind)] == "closure")
        #expect(operation.times.count == 5)
        #expect(operation.hasOrderedTimes(within: trace.header.clockSkewNanoseconds))
        #expect(operation.outcome == .finished)
      }
    }

    @Test(arguments: Kind.allCases)
    func anOperationMadeInsideAnotherHasItAsParent(_ kind: Kind) throws {
      let trace = try recording(on: kind) { queue, _ in
        let outer = BlockOperation { [unowned queue] in
          let inner = BlockOperation {}
          inner.name = "inner"
          queue.addOperation(inner)
          queue.addOperation {}
        }
        outer.name = "outer"
        queue.addOperation(outer)
      }
      let outer = Int32(try trace.index("outer"))
      #expect(trace.operations.map(\.parent).sorted() == [-1, outer, outer])
    }

    @Test(arguments: Kind.allCases)
    func anAsynchronousOperationReturnsBeforeItFinishes(_ kind: Kind) throws {
      let trace = try recording(on: kind) { queue, _ in
        let operation = AsyncOperation { _ in }
        operation.name = "asynchronous"
        queue.addOperation(operation)
        let hasReturned = waitUntil(deadline: .seconds(60)) {
          OperationQueue.stallReport()[operation]?.reasons.contains { reason in
            if case .notFinished = reason { true } else { false }
          } ?? false
        }
        #expect(hasReturned)
        operation.finish()
      }
      let operation = try trace.operation("asynchronous")
      #expect(operation.returned != nil)
      #expect(operation.times.count == 6)
    }

    @Test(arguments: Kind.allCases)
    func aCancelledOperationIsSkippedAndSaysWhenItWasAsked(_ kind: Kind) throws {
      let trace = try recording(on: kind) { queue, _ in
        queue.isSuspended = true
        let operation = BlockOperation {}
        operation.name = "cancelled"
        queue.addOperation(operation)
        let handle = queue.addOperation {}
        operation.cancel()
        operation.cancel()
        handle.cancel()
        queue.isSuspended = false
      }
      for operation in trace.operations {
        #expect(operation.outcome == .cancelled)
        #expect(operation.isSkipped)
        let asked = try #require(operation.cancelRequested)
        #expect(asked <= (operation.finished ?? 0) + max(0, trace.header.clockSkewNanoseconds))
      }
      #expect(trace.operations.count == 2)
    }

    @Test(arguments: Kind.allCases)
    func changesOfAQueuesPolicyAreEvents(_ kind: Kind) throws {
      let scheduler = kind.make(workers: 2)
      let old = OperationQueue(scheduler: scheduler)
      old.name = "old"
      old.maxConcurrentOperationCount = 3
      old.isSuspended = true
      let recorder = try Recorder.begin()
      old.isSuspended = false
      old.maxConcurrentOperationCount = 1
      old.maxConcurrentOperationCount = OperationQueue.defaultMaxConcurrentOperationCount
      let trace = recorder.end()
      let queue = try #require(
        trace.queues.firstIndex { trace.names[Int($0.name)] == "old" })
      #expect(trace.queues[queue].limit == 3)
      #expect(trace.queues[queue].isSuspended)
      let events = trace.queueEvents.filter { $0.queue == Int32(queue) }
      #expect(events.map(\.kind) == [.suspension, .limit, .limit])
      #expect(events.map(\.value) == [0, 1, -1])
      scheduler.shutDown()
    }

    @Test(arguments: Kind.allCases)
    func whatComesBehindABarrierHasAnEdgeOnIt(_ kind: Kind) throws {
      let trace = try recording(on: kind) { queue, _ in
        queue.isSuspended = true
        let before = BlockOperation {}
        before.name = "before"
        queue.addOperation(before)
        queue.addBarrierBlock {}
        let behind = BlockOperation {}
        behind.name = "behind"
        queue.addOperation(behind)
        queue.addOperation {}
        queue.isSuspended = false
      }
      let barrier = try #require(trace.operations.firstIndex { $0.isBarrier })
      #expect(trace.operations.count == 4)
      #expect(trace.edges.map(\.kind) == [.barrier, .barrier])
      #expect(trace.edges.map(\.predecessor) == [UInt32(barrier), UInt32(barrier)])
      #expect(trace.operations[barrier].releasedBy == Int32(try trace.index("before")))
      for operation in trace.operations {
        #expect(operation.hasOrderedTimes(within: trace.header.clockSkewNanoseconds))
      }
    }

    @Test(arguments: Kind.allCases)
    func whatAResourceHoldsBackIsAdmittedLater(_ kind: Kind) throws {
      let trace = try recording(on: kind) { queue, _ in
        let resource = OperationResource(name: "one at a time", capacity: 1)
        let operations = (0..<20).map { _ in
          let operation = BlockOperation {}
          operation.require(resource)
          return operation
        }
        queue.addOperations(operations, waitUntilFinished: false)
      }
      #expect(trace.operations.count == 20)
      for operation in trace.operations {
        #expect((operation.heldBy == .resource) == (operation.admitted != nil))
        #expect(operation.hasOrderedTimes(within: trace.header.clockSkewNanoseconds))
      }
    }

    @Test func aFailureIsAnOutcome() throws {
      struct Failure: Error {}
      let trace = try recording(on: .threadPool) { queue, _ in
        let operation = ResultOperation<Int> { throw Failure() }
        operation.name = "failing"
        queue.addOperation(operation)
      }
      #expect(try trace.operation("failing").outcome == .failed)
    }

    @Test func addressesThatAreUsedAgainAreOtherOperations() throws {
      let trace = try recording(on: .inline) { queue, _ in
        for index in 0..<1000 {
          let operation = BlockOperation {}
          operation.name = "\(index)"
          queue.addOperation(operation)
        }
      }
      #expect(trace.operations.count == 1000)
      #expect(Set(trace.operations.map(\.name)).count == 1000)
    }

    @Test func marksStandWhereTheyWereSet() throws {
      let trace = try recording(on: .inline) { queue, recorder in
        recorder.mark("before")
        queue.addOperation {}
        recorder.mark("after")
      }
      #expect(trace.marks.map { trace.names[Int($0.name)] } == ["before", "after"])
      let operation = try #require(trace.operations.first)
      #expect(trace.marks[0].time <= (operation.created ?? 0))
      #expect((operation.finished ?? 0) <= trace.marks[1].time)
    }

    @Test(arguments: Kind.allCases)
    func aRecordingOfLatencyHasReadyStartAndFinishAlone(_ kind: Kind) throws {
      let trace = try recording(on: kind, RecordingOptions(detail: .latency)) { queue, _ in
        let first = BlockOperation {}
        let second = BlockOperation {}
        second.addDependency(first)
        queue.addOperations([first, second], waitUntilFinished: true)
        for _ in 0..<50 { queue.addOperation(BlockOperation {}) }
      }
      #expect(trace.operations.count == 52)
      for operation in trace.operations {
        #expect(operation.ready != nil && operation.started != nil && operation.finished != nil)
        #expect(operation.enqueued == nil)
      }
      #expect(trace.edges.isEmpty)
      #expect(trace.schedulerEvents.isEmpty)
    }
  }
}
