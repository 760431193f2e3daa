// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import Testing
import ThreadPoolBackend
import Traces
import WorkStealingBackend

@testable import Profiling

extension RecordingTests {
  /// What a recording has of the threads of back ends.
  @Suite struct SchedulerEventTests {
    @Test func stealsAndParksAreThoseThatThePoolCounts() throws {
      var counters = SchedulerCounters()
      let recorder = try Recorder.begin()
      let scheduler = WorkStealingScheduler(workers: 3)
      let queue = OperationQueue(scheduler: scheduler)
      for _ in 0..<20 {
        for _ in 0..<20 {
          queue.addOperation { [unowned queue] in
            for _ in 0..<10 { queue.addOperation {} }
          }
        }
        queue.waitUntilAllOperationsAreFinished()
      }
      // All threads have ended, so that both have all of it.
      scheduler.shutDown()
      counters = scheduler.counters
      let trace = recorder.end()
      #expect(trace.header.droppedEvents == 0)
      #expect(trace.count(.park) == counters.parks)
      #expect(trace.count(.unpark) == counters.parks)
      #expect(trace.count(.steal) == counters.steals)
      #expect(trace.count(.stealFails) == counters.failedSteals)
      #expect(trace.count(.wake) == counters.wakeUps)
      #expect(trace.count(.searchEnds) > 0)
      #expect(trace.count(.searchBegins) >= trace.count(.searchEnds))
      #expect(trace.count(.start) == 3)
      #expect(trace.count(.stop) == 3)
      let workers = trace.threads.map(\.worker).filter { $0 >= 0 }
      #expect(workers.sorted() == [0, 1, 2])
      for event in trace.schedulerEvents where event.kind == .steal {
        #expect((0..<3).contains(event.other))
        #expect(event.other != trace.threads[Int(event.thread)].worker)
      }
    }

    @Test func theThreadPoolsParksAndWakesAreThoseThatItCounts() throws {
      let recorder = try Recorder.begin()
      let scheduler = ThreadPoolScheduler(workers: 2)
      let queue = OperationQueue(scheduler: scheduler)
      for _ in 0..<50 {
        queue.addOperation {}
        queue.waitUntilAllOperationsAreFinished()
      }
      scheduler.shutDown()
      let counters = scheduler.counters
      let trace = recorder.end()
      #expect(trace.count(.park) == counters.parks)
      #expect(trace.count(.wake) == counters.wakeUps)
      #expect(trace.operations.allSatisfy { $0.source == .sharedQueue })
    }

    @Test func aStartSaysWhereTheWorkerFoundTheJob() throws {
      let trace = try recording(on: .workStealing, workers: 1) { queue, _ in
        let first = BlockOperation { [unowned queue] in
          let own = BlockOperation {}
          own.name = "own"
          queue.addOperation(own)
        }
        let second = BlockOperation {}
        (first.name, second.name) = ("injected", "successor")
        second.addDependency(first)
        queue.addOperations([second, first], waitUntilFinished: false)
      }
      #expect(try trace.operation("injected").source == .injector)
      #expect(try trace.operation("successor").source == .successor)
      #expect(try trace.operation("own").source == .ownDeque)
      let limited = try recording(on: .workStealing) { queue, _ in
        queue.maxConcurrentOperationCount = 1
        for _ in 0..<3 { queue.addOperation {} }
      }
      #expect(limited.operations.allSatisfy { $0.source == .readyList })
      let inline = try recording(on: .inline) { queue, _ in queue.addOperation {} }
      #expect(inline.operations.map(\.source) == [.inline])
    }

    @Test func aStolenOperationNamesTheVictim() throws {
      let isStolen = Atomic<Bool>(false)
      let trace = try recording(on: .workStealing, workers: 2) { queue, _ in
        queue.addOperation { [unowned queue] in
          let stolen = BlockOperation { isStolen.store(true, ordering: .releasing) }
          stolen.name = "stolen"
          queue.addOperation(stolen)
          // The other worker has to come for it.
          while !isStolen.load(ordering: .acquiring) {}
        }
      }
      let stolen = try trace.operation("stolen")
      let thief = trace.threads[Int(stolen.thread)].worker
      #expect(stolen.source == .steal)
      #expect(stolen.victim == 1 - thief)
    }

    @Test func ofLibdispatchNothingIsInvented() throws {
      let trace = try recording(on: .dispatch) { queue, _ in
        for _ in 0..<100 { queue.addOperation {} }
      }
      #expect(trace.operations.allSatisfy { $0.source == .unknown && $0.victim == -1 })
      // What the system says of its threads is not invented.
      #expect(trace.schedulerEvents.allSatisfy { $0.kind == .waitedForProcessor })
    }

    /// With six others for each processor a worker waits for most of a run.
    ///
    /// It waits no longer than the run takes, and its waits do not overlap. The thread that adds
    /// waits as well.
    @Test func waitsForAProcessorAreThoseOfTheSystem() throws {
      let trace = try recording(on: .threadPool, workers: 1) { queue, _ in
        queue.addOperations([BlockOperation {}], waitUntilFinished: true)
        BusyNeighbour.run {
          queue.addOperations(
            (0..<1000).map { _ in BlockOperation { Plant.spin(20_000) } }, waitUntilFinished: true)
        }
      }
      let waits = trace.schedulerEvents.filter {
        $0.kind == .waitedForProcessor && trace.threads[Int($0.thread)].worker == 0
      }
      let total = waits.reduce(0) { $0 + Int64($1.other) }
      #expect(total > 5_000_000 && total < trace.header.durationNanoseconds, "\(total) ns")
      for (earlier, later) in zip(waits, waits.dropFirst()) where earlier.thread == later.thread {
        #expect(later.time - Int64(later.other) >= earlier.time - 1_000_000)
      }
    }

    /// The first part of an asynchronous body and the one after its suspension are jobs.
    @Test func partsOfAnAsynchronousBodyAreJobs() throws {
      let trace = try recording(on: .workStealing, workers: 1) { queue, _ in
        queue.addOperations(
          [AsyncOperation { await Task.yield() }], waitUntilFinished: true)
        // The only worker runs this one when it has left the last part.
        queue.addOperations([BlockOperation {}], waitUntilFinished: true)
      }
      let jobs = trace.schedulerEvents.filter { $0.kind == .jobBegins || $0.kind == .jobEnds }
      #expect(jobs.count >= 4)
      for (place, event) in jobs.enumerated() {
        #expect(event.kind == (place.isMultiple(of: 2) ? .jobBegins : .jobEnds))
        #expect(event.thread == jobs[0].thread)
      }
      #expect(trace.threads[Int(jobs[0].thread)].worker == 0)
    }

    /// A scheduler that knows whom it wakes says so, even before that worker is known.
    @Test func aWakeUpByNameIsOneOfThatWorker() throws {
      let recorder = try Recorder.begin()
      SchedulerEvents.wakes(worker: 1)
      SchedulerEvents.wakes(worker: 2)
      SchedulerEvents.wakes(1)
      let worker = try SystemThread.start(name: "named") {
        SchedulerEvents.begins(worker: 1)
        SchedulerEvents.ends()
      }
      worker.join()
      let trace = recorder.end()
      let wakes = trace.schedulerEvents.filter { $0.kind == .wake }
      let named = try #require(trace.threads.firstIndex { $0.worker == 1 })
      #expect(wakes.map(\.other) == [Int32(named), -1, -1])
    }

    @Test func aWaitInsideAnOperationBlocksItsThread() throws {
      let trace = try recording(on: .threadPool, workers: 1) { queue, _ in
        let inner = OperationQueue(scheduler: ThreadPoolScheduler(workers: 1))
        inner.isSuspended = true
        inner.addOperation {}
        queue.addOperation { inner.waitUntilAllOperationsAreFinished() }
        // Nobody runs this one before the wait of the other is announced.
        queue.addOperation { inner.isSuspended = false }
      }
      #expect(trace.count(.blocks) == 1)
      #expect(trace.count(.unblocks) == 1)
    }
  }
}
