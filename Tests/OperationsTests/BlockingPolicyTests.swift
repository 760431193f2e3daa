// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  /// What a wait does to its worker.
  @Suite(.contract(101)) struct BlockingPolicyTests {
    @Test(arguments: Kind.pools)
    func compensatingWorkersNest(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let queue = OperationQueue(scheduler: scheduler)
      #expect(queue.blockingPolicy == .automatic)
      queue.blockingPolicy = .compensate
      @Sendable func descend(_ level: Int) {
        guard level > 0 else { return }
        let inner = BlockOperation { descend(level - 1) }
        queue.addOperation(inner)
        inner.waitUntilFinished()
      }
      queue.addOperation { descend(30) }
      queue.expectQuiet()
      #expect(queue.blockingCounters.blocked >= 1 && queue.blockingCounters.helped == 0)
      #expect(queue.blockingCounters.refused == 0 && scheduler.counters.helped == 0)
    }

    @Test(arguments: Kind.single)
    func helpingWorkersRunWhatIsQueued(_ kind: Kind) {
      let scheduler = kind.make(1)
      let queue = OperationQueue(scheduler: scheduler)
      queue.blockingPolicy = .help
      let log = Log()
      queue.isSuspended = true
      let last = BlockOperation { log.note(3) }
      queue.addOperation {
        last.waitUntilFinished()
        log.note(4)
      }
      for number in 0..<3 { queue.addOperation { log.note(number) } }
      queue.addOperation(last)
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(log.values.last == 4 && log.values.contains(3))
      #expect(queue.blockingCounters.helped >= 1)
      #expect(queue.blockingCounters.blocked == 0 && scheduler.counters.compensations == 0)
    }

    @Test(arguments: Kind.each)
    func refusedTimedWaitsReturnAtOnce(_ kind: Kind) {
      let queue = kind.queue()
      queue.blockingPolicy = .fail
      let other = kind.queue()
      other.isSuspended = true
      other.addOperation {}
      let never = Operation()
      let answers = Log()
      queue.addOperation {
        answers.note(never.wait(timeout: patience) ? 1 : 0)
        answers.note(other.wait(timeout: patience) ? 1 : 0)
        // What has finished needs no wait.
        let done = Operation()
        done.start()
        done.waitUntilFinished()
      }
      queue.expectQuiet()
      #expect(answers.values == [0, 0] && queue.blockingCounters.refused == 2)
      other.isSuspended = false
      other.expectQuiet()
    }

    @Test func refusedWaitStopsTheProcess() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = Kind.single[1].queue()
          queue.name = "no waiting"
          queue.blockingPolicy = .fail
          let never = Operation()
          never.name = "never"
          queue.addOperation { never.waitUntilFinished() }
          queue.waitUntilAllOperationsAreFinished()
        }
        misuse()
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("\"never\"") && text.contains("\"no waiting\""))
    }

    /// 64 operations blocked outside the library, who say so.
    @Test(.contract(138), arguments: Kind.pools)
    func announcedBlockingDelaysNobody(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let blocked = OperationQueue(scheduler: scheduler)
      let other = OperationQueue(scheduler: scheduler)
      let release = Gate()
      for _ in 0..<64 {
        blocked.addOperation { #expect(OperationQueue.blocking { release.wait() }) }
      }
      #expect(waitUntil(deadline: patience) { blocked.blockingCounters.blocked == 64 })
      let last = TestOperation()
      other.addOperation(last)
      #expect(last.wait(timeout: patience))
      release.open()
      blocked.expectQuiet()
    }
  }
}
