// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Foundation
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Queues that move between schedulers, in steps that the test takes itself.
  @Suite(.contract(120)) struct QueuePlaceTests {
    /// A drain that went back to its scheduler holds the only slot while the queue empties and
    /// moves: what is added then runs at the new place, which gets the slot.
    @Test(arguments: [(fromHome: false, toHome: false), (false, true), (true, false)])
    func aDrainPassesItsSlotToTheNewPlace(_ move: (fromHome: Bool, toHome: Bool)) {
      let (fromHome, toHome) = move
      let (home, first, second) = (Steps("home"), Steps("first"), Steps("second"))
      let queue = OperationQueue(scheduler: home)
      queue.maxConcurrentOperationCount = 1
      let (old, new) = (fromHome ? home : first, toHome ? home : second)
      let ran = Mutex([String]())
      queue.move(to: fromHome ? nil : first)
      queue.addOperation {
        ran.withLock { $0.append(Steps.current) }
        // Past the time that a drain runs without going back.
        Thread.sleep(forTimeInterval: 0.001)
      }
      #expect(old.runOne())
      queue.waitUntilAllOperationsAreFinished()
      queue.move(to: toHome ? nil : second)
      #expect(queue.scheduler === new)
      queue.addOperation { ran.withLock { $0.append(Steps.current) } }
      // The drain has the slot.
      #expect(!new.runOne())
      #expect(old.runOne())
      while new.runOne() || old.runOne() {}
      queue.waitUntilAllOperationsAreFinished()
      #expect(ran.withLock { $0 } == [old.name, new.name])
    }

    /// Who asks for the scheduler gets the place of the moment; the queue keeps no other one.
    @Test func aQueueKeepsThePlaceThatItIsAt() {
      let home = Steps("home")
      let queue = OperationQueue(scheduler: home)
      weak var first: Steps?
      do {
        let steps = Steps("first")
        first = steps
        queue.move(to: steps)
        #expect(queue.scheduler === steps)
      }
      #expect(first != nil)
      let second = Steps("second")
      queue.move(to: second)
      #expect(first == nil && queue.scheduler === second)
      queue.move(to: nil)
      #expect(queue.scheduler === home)
    }
  }
}

/// One worker that runs a job when it is told to, on the thread that tells it.
private final class Steps: Scheduler {
  @TaskLocal static var current = ""

  let name: String
  let workerCount = 1
  private let waiting = Locked(JobChain())

  init(_ name: String) { self.name = name }

  func submit(_ jobs: consuming JobChain) { waiting.withLock { $0.append(jobs.take()) } }

  /// Runs the oldest job; false when there is none.
  func runOne() -> Bool {
    guard let job = waiting.withLock({ $0.popFirst() }) else { return false }
    Steps.$current.withValue(name) {
      var context = WorkerContext(worker: 0, scheduler: identity)
      unsafe context.runToCompletion(job, bound: 0) { self.submit($0) }
    }
    return true
  }

  func shutDown() {}
}
