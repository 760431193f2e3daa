// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
import Operations
import OperationsDiagnosis
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// What the stall report and `invalidate()` make of operations that consist of others, and of
  /// those about to leave.
  @Suite(.contract(117)) struct OwnerStallTests {
    private func named(_ name: String) -> BlockOperation {
      let operation = BlockOperation {}
      operation.name = name
      return operation
    }

    private func reason(_ queue: OperationQueue, _ operation: Operation) -> StallReport.Reason? {
      queue.stallReport()[operation]?.reasons.first
    }

    @Test(arguments: Kind.each)
    func ownersWaitForTheirMembers(_ kind: Kind) {
      let queue = kind.queue()
      let (member, root) = (named("member"), named("root"))
      member.addDependency(root)
      let group = GroupOperation([member])
      let timeout = TimeoutOperation(group, within: patience)
      let dependent = named("dependent")
      dependent.addDependency(timeout)
      queue.addOperations([timeout, dependent], waitUntilFinished: false)
      #expect(
        waitUntil(deadline: patience) {
          let report = queue.stallReport()
          return report[timeout]?.reasons == [.waitingForMembers([group])]
            && report[group]?.reasons == [.waitingForMembers([member])]
        })
      let report = queue.stallReport()
      #expect(report.path(from: dependent) == [dependent, timeout, group, member, root])
      #expect(report[timeout]?.root === root && report[root]?.reasons == [.inNoQueue])
      root.start()
      queue.expectQuiet()
    }

    @Test(.contract(31, 32, 117), arguments: Kind.each)
    func aMemberThatWaitsForItsGroupIsACycle(_ kind: Kind) {
      let queue = kind.queue()
      let member = named("member")
      let group = GroupOperation([named("innocent"), member])
      member.addDependency(group)
      let error = thrown { try OperationQueue.validateGraph([group]) }
      guard case .dependencyCycle(let path) = error as? OperationError else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(Set(path) == [group, member])
      queue.addOperation(group)
      #expect(
        waitUntil(deadline: patience) {
          queue.stallReport().cycles.contains { Set($0) == [group, member] }
        })
      member.cancel()
      queue.expectQuiet()
    }

    @Test(arguments: Kind.each)
    func membersOfAGroupThatHasNotStarted(_ kind: Kind) {
      let queue = kind.queue()
      let (member, after) = (named("member"), named("after"))
      let group = GroupOperation([member])
      after.addDependency(member)
      queue.addOperation(after)
      let report = queue.stallReport()
      #expect(report[member]?.reasons == [.reserved] && report[after]?.root === member)
      #expect(report.description.contains("a group that has not started"))
      queue.addOperation(group)
      queue.expectQuiet()
    }

    /// Nobody has to call `finish()` while the last closure runs.
    @Test(arguments: Kind.pools.filter { $0.workers == 2 }, [0, 1])
    func closuresThatRunOnOtherWorkers(_ kind: Kind, first: Int) {
      let queue = kind.queue()
      let gates = [Gate(), Gate()]
      let threads = Locked<[Int: pthread_t]>([:])
      let operation = BlockOperation()
      for number in 0...1 {
        operation.addExecutionBlock {
          threads.withLock { $0[number] = pthread_self() }
          gates[number].wait()
        }
      }
      let starter = Locked<pthread_t?>(nil)
      let token = operation.observe(\.isExecuting) { _, change in
        if change.newValue { starter.withLock { $0 = pthread_self() } }
      }
      let dependent = Operation()
      dependent.addDependency(operation)
      queue.addOperations([operation, dependent], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { threads.withLock { $0.count } == 2 })
      #expect(reason(queue, operation) == .executing)
      gates[first].open()
      let isMain = threads.withLock { $0[first] } == starter.withLock { $0 }
      if isMain {
        #expect(waitUntil(deadline: patience) { reason(queue, operation) == .closuresRun })
      } else {
        #expect(reason(queue, operation) == .executing)
      }
      #expect(queue.stallReport()[dependent]?.root === operation)
      gates[1 - first].open()
      queue.expectQuiet()
      withExtendedLifetime(token) {}
    }

    /// A completion block that runs keeps its operation in the queue, which a barrier waits for.
    @Test(.contract(116, 117), arguments: Kind.pools.filter { $0.workers == 2 })
    func anOperationInItsCompletionBlock(_ kind: Kind) {
      let queue = kind.queue()
      let gate = Gate()
      let running = Atomic<Bool>(false)
      let operation = named("leaving")
      operation.completionBlock = {
        running.store(true, ordering: .releasing)
        gate.wait()
      }
      queue.addOperation(operation)
      #expect(waitUntil(deadline: patience) { running.load(ordering: .acquiring) })
      #expect(queue.stallReport().isEmpty)
      queue.addBarrierBlock {}
      let report = queue.stallReport()
      #expect(report.queues.map(\.operationCount) == [1] && queue.operationCount == 1)
      #expect(report.entries.map(\.reasons) == [[.olderOperations(1)]])
      #expect(report.entries.first?.root === operation)
      #expect(report[operation]?.reasons == [.inCompletionBlock])
      gate.open()
      queue.expectQuiet()
    }

    @Test(arguments: Kind.each)
    func aRetryBetweenTwoAttempts(_ kind: Kind) {
      struct Failure: Error {}
      let queue = kind.queue()
      let policy = RetryPolicy(attempts: 2, delay: .seconds(60), jitter: 0)
      let retry = RetryOperation<Int>(policy) { _ in ResultOperation { throw Failure() } }
      queue.addOperation(retry)
      #expect(
        waitUntil(deadline: patience) { reason(queue, retry) == .waitingForAttempt })
      retry.cancel()
      queue.expectQuiet()
    }

    /// Groups at every depth are resumed, whether they have started or not.
    @Test(.contract(133), arguments: Kind.each, [true, false])
    func invalidateDrainsGroups(_ kind: Kind, isStarted: Bool) {
      let queue = kind.queue()
      let limited = GroupOperation([TestOperation()])
      limited.maxConcurrentOperationCount = 0
      let suspended = GroupOperation([BlockOperation {}, limited])
      suspended.isSuspended = true
      let outer = TimeoutOperation(suspended, within: patience)
      queue.isSuspended = !isStarted
      queue.addOperations([outer, BlockOperation {}], waitUntilFinished: false)
      if isStarted { #expect(waitUntil(deadline: patience) { suspended.isExecuting }) }
      queue.invalidate()
      queue.expectQuiet()
      #expect(outer.isFinished && limited.isFinished && limited.isCancelled)
    }
  }
}
