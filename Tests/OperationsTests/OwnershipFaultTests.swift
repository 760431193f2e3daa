// SPDX-License-Identifier: Apache-2.0

import Operations
import Scheduling
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  /// Faults say whose an operation is already, and who waits.
  @Suite struct OwnershipFaultTests {
    @Test func memberThatAGroupHas() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let member = Operation()
          member.name = "shared"
          let group = GroupOperation([member])
          group.name = "first"
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "uploads"
          queue.addOperation(member)
          withExtendedLifetime(group) {}
        }
        misuse()
      }
      expect(
        result, says: "addOperation(_:) on queue \"uploads\"",
        "Operation \"shared\" (pending, ready) is in queue \"(members of GroupOperation \"first\")\"",
        "add it once, or make a new operation")
    }

    @Test func groupThatIsItsOwnMember() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let group = GroupOperation([])
          group.name = "ouroboros"
          group.addOperation(group)
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.addOperation(group)
        }
        misuse()
      }
      expect(
        result, says: "addOperation(_:) on queue",
        "is in queue \"(members of GroupOperation \"ouroboros\")\" already")
    }

    @Test func memberOfATimeout() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let member = Operation()
          member.name = "shared"
          let timeout = TimeoutOperation(member, within: .seconds(60))
          member.start()
          withExtendedLifetime(timeout) {}
        }
        misuse()
      }
      expect(
        result,
        says: "start(): Operation \"shared\" (pending, ready) belongs to queue",
        "(members of TimeoutOperation<()> 0x", "leave the start to the queue")
    }

    @Test func memberOfAGroupThatRuns() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "uploads"
          let (first, second) = (AsyncOperation(), AsyncOperation())
          first.name = "first"
          second.name = "second"
          second.addDependency(first)
          let group = GroupOperation([first, second])
          group.name = "import"
          queue.addOperation(group)
          let refusals = [first, second].map { member in
            thrown { try queue.tryAddOperation(member) }
          }
          for refusal in refusals { print(refusal as Any) }
          let refusal = (refusals[1] as? OperationError)?.description ?? ""
          let place = "is in queue \"(members of GroupOperation \"import\")\""
          guard refusal.contains(place) else { return }
          queue.addOperation(first)
        }
        misuse()
      }
      expect(
        result,
        says:
          "addOperation(_:) on queue \"uploads\": AsyncOperation \"first\" (executing) was added",
        "to queue \"(members of GroupOperation \"import\")\" and runs only once; add it once"
      )
    }

    @Test(.contract(67)) func addingTwiceToTheSameQueue() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "uploads"
          queue.isSuspended = true
          let operation = Operation()
          operation.name = "twice"
          queue.addOperation(operation)
          queue.addOperation(operation)
        }
        misuse()
      }
      expect(
        result, says: "addOperation(_:) on queue \"uploads\"",
        "Operation \"twice\" (pending, ready) is in queue \"uploads\" already", "add it once"
      )
    }

    @Test(.contract(67)) func addingWhatAQueueExecutes() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "uploads"
          let operation = AsyncOperation()
          operation.name = "busy"
          queue.addOperation(operation)
          queue.addOperation(operation)
        }
        misuse()
      }
      expect(
        result,
        says: "AsyncOperation \"busy\" (executing) was added to queue \"uploads\"",
        "runs only once; add it once, and change it only before its start; to run the work again, make a new "
          + "operation."
      )
    }

    @Test(.contract(62, 101)) func waitsNameWhoWaits() async {
      let own = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          let operation = BlockOperation { queue.waitUntilAllOperationsAreFinished() }
          operation.name = "narcissus"
          queue.addOperation(operation)
        }
        misuse()
      }
      expect(
        own,
        says:
          "from inside one of its operations, BlockOperation \"narcissus\" (executing): it waits")
      let awaited = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
          let operation = AsyncOperation { await queue.finished() }
          operation.name = "narcissus"
          queue.addOperation(operation)
          _ = queue.wait(timeout: patience)
        }
        misuse()
      }
      expect(
        awaited, says: "await finished() on queue", "AsyncOperation \"narcissus\" (executing)")
      let refused = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "strict"
          queue.blockingPolicy = .fail
          let other = Operation()
          let operation = BlockOperation { other.waitUntilFinished() }
          operation.name = "waiter"
          queue.addOperation(operation)
        }
        misuse()
      }
      expect(
        refused, says: "BlockOperation \"waiter\" (executing) of queue \"strict\"",
        "waits for Operation")
    }

    @Test func noWorkers() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = WorkStealingScheduler(workers: 0)
      }
      expect(
        result, says: "WorkStealingScheduler: workers is 0; expected 1 to 65471",
        "with 64 compensation threads is 65535; pass the number")
    }
  }
}
