// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct CancellationTests {
    @Test(.contract(44)) func cancelAfterTheFinishChangesNothing() {
      let operation = Operation()
      operation.start()
      operation.cancel()
      #expect(!operation.isCancelled)
    }

    @Test(.contract(45)) func cancelledOutsideAQueueIsNotFinished() {
      let operation = Operation()
      operation.addDependency(Operation())
      operation.cancel()
      operation.cancel()
      #expect(operation.isCancelled && operation.isReady && !operation.isFinished)
      operation.start()
      #expect(operation.isFinished)
    }

    @Test(.contract(109)) func cancelledMembersStayUntilTheyHaveFinished() {
      let queue = Kind.inline.queue()
      queue.isSuspended = true
      let operations = [Operation(), BlockOperation {}]
      queue.addOperations(operations, waitUntilFinished: false)
      for operation in operations { operation.cancel() }
      #expect(queue.operations == operations && queue.operationCount == 2)
      queue.isSuspended = false
      #expect(queue.operations.isEmpty && operations.allSatisfy { $0.isFinished })
    }

    @Test(.contract(53)) func dependentsAreNotCancelledWithTheirDependency() {
      let queue = Kind.pools[1].queue()
      let first = Operation()
      let second = TestOperation()
      second.addDependency(first)
      first.cancel()
      queue.addOperations([second, first], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(!second.isCancelled && second.runCount == 1)
    }

    @Test(.contract(54)) func removalAfterCancelLeavesTheOperationStartable() {
      let dependency = Operation()
      let operation = TestOperation()
      operation.addDependency(dependency)
      operation.cancel()
      dependency.start()
      operation.removeDependency(dependency)
      #expect(operation.isReady)
      operation.start()
      #expect(operation.isFinished && operation.runCount == 0)
    }

    /// A class that answers with a flag of its own, which it sets before it calls `super`.
    @Test(.contract(43, 47), arguments: Kind.each)
    func ownFlagDoesNotStandForTheCancellation(_ kind: Kind) {
      final class OwnFlag: Operation, @unchecked Sendable {
        private let flag = Atomic<Bool>(false)
        override var isCancelled: Bool { flag.load(ordering: .acquiring) }
        override func cancel() {
          flag.store(true, ordering: .releasing)
          super.cancel()
        }
      }
      let queue = kind.queue()
      let operation = OwnFlag()
      operation.addDependency(Operation())
      queue.addOperation(operation)
      operation.cancel()
      queue.expectQuiet()
      #expect(operation.isCancelled && operation.isFinished)
    }

    /// A class that lists nothing waits, and inherits cancellations, all the same.
    @Test(.contract(53))
    func ownListIsNotAskedForInheritedCancellations() {
      final class Shy: Operation, @unchecked Sendable {
        let runs = Atomic<Int>(0)
        override var dependencies: [Operation] { [] }
        override func main() { runs.add(1, ordering: .relaxed) }
      }
      let dependency = BlockOperation {}
      dependency.cancelDependentsOnCancel = true
      dependency.cancel()
      dependency.start()
      let operation = Shy()
      operation.addDependency(dependency)
      operation.start()
      let runs = operation.runs.load(ordering: .relaxed)
      #expect(operation.isCancelled && operation.isFinished && runs == 0)
    }

    /// What is cancelled together is set free together, unless the thread that cancels waits for
    /// some of it.
    @Test(.contract(52), arguments: Kind.each)
    func overriddenCancelMayWaitForWhatItCancels(_ kind: Kind) {
      final class Waiting: Operation, @unchecked Sendable {
        let other: Operation
        let isInTime = Atomic<Bool>(false)
        init(for other: Operation) {
          self.other = other
          super.init()
        }
        override func cancel() {
          super.cancel()
          other.cancel()
          isInTime.store(other.wait(timeout: patience), ordering: .releasing)
        }
      }
      let (queue, others) = (kind.queue(), kind.queue())
      let never = Operation()
      let other = BlockOperation {}
      other.addDependency(never)
      others.addOperation(other)
      let operation = Waiting(for: other)
      operation.addDependency(never)
      queue.addOperation(operation)
      queue.cancelAllOperations()
      queue.expectQuiet()
      let isInTime = operation.isInTime.load(ordering: .acquiring)
      #expect(isInTime)
    }

    /// The handler of one among plain operations is told when all are marked, and may wait for any
    /// of them.
    @Test(.contract(49, 52), arguments: Kind.pools, [0, 7, 19])
    func observedMemberAmongPlainOnes(_ kind: Kind, _ place: Int) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let (begun, end) = (Turnstile(), Turnstile())
      queue.addOperation {
        begun.signal()
        OperationQueue.blocking { end.wait() }
      }
      begun.wait()
      let ran = Counter()
      let members = (0..<20).map { _ in BlockOperation { ran.add(1) } }
      for index in stride(from: 3, to: 20, by: 3) {
        members[index].addDependency(members[index - 1])
      }
      let told = Counter()
      let token = members[place].observe(\.isCancelled) { _, _ in
        guard members.allSatisfy(\.isCancelled) else { return }
        for (index, member) in members.enumerated() where index != place {
          guard member.wait(timeout: patience) else { return }
        }
        told.add(1)
      }
      queue.addOperations(members, waitUntilFinished: false)
      queue.cancelAllOperations()
      // Perhaps on the thread that has skipped it.
      #expect(waitUntil { told.value == 1 })
      end.signal()
      queue.expectQuiet()
      #expect(ran.value == 0 && members.allSatisfy { $0.isFinished })
      withExtendedLifetime(token) {}
    }

    /// Whether the queue is limited or not when they are marked, and becomes the other meanwhile.
    @Test(.contract(49), arguments: Kind.pools)
    func limitChangesWhilePlainOperationsAreCancelled(_ kind: Kind) {
      for round in 0..<60 * stressFactor {
        let queue = kind.queue()
        queue.isSuspended = true
        queue.maxConcurrentOperationCount = round.isMultiple(of: 2) ? 1 : -1
        let ran = Counter()
        let members = (0..<50).map { _ in BlockOperation { ran.add(1) } }
        queue.addOperations(members, waitUntilFinished: false)
        onThreads(3) { thread in
          switch thread {
          case 0: queue.cancelAllOperations()
          case 1: queue.maxConcurrentOperationCount = round.isMultiple(of: 2) ? -1 : 0
          default: queue.isSuspended = false
          }
        }
        // With a limit of 0 what has not begun leaves as cancelled only, which all of it is.
        queue.expectQuiet()
        #expect(members.allSatisfy { $0.isFinished })
        let uncancelled = members.count { !$0.isCancelled }
        #expect(ran.value >= uncancelled)
      }
    }

    /// Those that are cancelled on their way into the list, found uncancelled by the adder and
    /// unlimited by the canceller.
    @Test(.contract(49), arguments: Kind.pools)
    func limitComesWhileABatchIsAdded(_ kind: Kind) {
      for round in 0..<10 * stressFactor {
        let queue = kind.queue()
        queue.isSuspended = true
        let members = (0..<4_000).map { _ in BlockOperation {} }
        let start = Meeting(of: 3, limit: patience)
        onThreads(3) { thread in
          start.attend()
          switch thread {
          case 0: queue.addOperations(members, waitUntilFinished: false)
          case 1: for member in members { member.cancel() }
          default:
            for _ in 0..<(50 * (round % 10)) { yieldCore() }
            queue.maxConcurrentOperationCount = 0
          }
        }
        queue.isSuspended = false
        guard members.allSatisfy({ $0.wait(timeout: patience) }) else {
          Issue.record("round \(round): a cancelled operation has not left the queue")
          return
        }
      }
    }

    /// The same on one thread: the getter of one member cancels another that has been asked
    /// already, and sets the limit.
    @Test(.contract(49), arguments: Kind.each)
    func limitComesBetweenTheQuestionAndTheList(_ kind: Kind) {
      final class Asking: Operation, @unchecked Sendable {
        let onQuestion = Locked<(@Sendable () -> Void)?>(nil)
        override var isSkippedWithoutSlot: Bool {
          onQuestion.withLock { $0.take() }?()
          return true
        }
      }
      let queue = kind.queue()
      queue.isSuspended = true
      let (member, asking) = (BlockOperation {}, Asking())
      asking.cancel()
      asking.onQuestion.withLock {
        $0 = {
          member.cancel()
          queue.maxConcurrentOperationCount = 0
        }
      }
      queue.addOperations([member, asking], waitUntilFinished: false)
      queue.isSuspended = false
      queue.expectQuiet()
    }

    /// Cancelled while there is no limit, and waited for by whoever is told of the limit.
    @Test(.contract(49), arguments: Kind.pools)
    func observerOfTheLimitWaitsForACancelledMember(_ kind: Kind) {
      let queue = kind.queue()
      queue.isSuspended = true
      let member = BlockOperation {}
      queue.addOperation(member)
      member.cancel()
      let isInTime = Atomic<Bool>(false)
      let token = queue.observe(\.maxConcurrentOperationCount) { queue, _ in
        queue.isSuspended = false
        isInTime.store(member.wait(timeout: patience), ordering: .releasing)
      }
      queue.maxConcurrentOperationCount = 0
      let wasInTime = isInTime.load(ordering: .acquiring)
      #expect(wasInTime)
      queue.expectQuiet()
      withExtendedLifetime(token) {}
    }
  }
}
