// SPDX-License-Identifier: Apache-2.0

import Operations
import Scheduling
import Testing
import WorkStealingBackend

extension OperationLayer {
  /// The fault table: each stops the process with a message that names the place, the finding and the remedy.
  @Suite struct FaultTests {
    private func message(_ result: ExitTest.Result?) -> String {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func startWhenNotReady() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let (operation, blocker) = (BlockOperation {}, Operation())
          operation.name = "child"
          blocker.name = "parent"
          operation.addDependency(blocker)
          operation.start()
        }
        misuse()
      }
      let text = message(result)
      #expect(
        text.contains("\"child\"") && text.contains("\"parent\"") && text.contains("not ready"))
    }

    @Test func startWhileExecuting() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let operation = AsyncOperation()
          operation.start()
          operation.start()
        }
        misuse()
      }
      #expect(message(result).contains("is executing"))
    }

    @Test func startOfAQueuedOperation() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "downloads"
          queue.isSuspended = true
          let operation = Operation()
          queue.addOperation(operation)
          operation.start()
        }
        misuse()
      }
      #expect(message(result).contains("belongs to queue \"downloads\""))
    }

    @Test func addTwice() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "downloads"
          queue.isSuspended = true
          let operation = Operation()
          queue.addOperations([operation, operation], waitUntilFinished: false)
        }
        misuse()
      }
      #expect(message(result).contains("is in queue"))
    }

    @Test func addAfterTheFinish() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let operation = Operation()
          operation.start()
          OperationQueue(scheduler: InlineScheduler()).addOperation(operation)
        }
        misuse()
      }
      #expect(message(result).contains("has finished"))
    }

    @Test func limitBelowMinusOne() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          queue.name = "downloads"
          queue.maxConcurrentOperationCount = -2
        }
        misuse()
      }
      let text = message(result)
      #expect(text.contains("downloads") && text.contains("-2"))
    }

    @Test func selfDependency() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let operation = Operation()
          operation.name = "snake"
          operation.addDependency(operation)
        }
        misuse()
      }
      #expect(message(result).contains("\"snake\" → Operation \"snake\""))
    }

    @Test func waitForOneself() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let operation = TestOperation { $0.waitUntilFinished() }
          OperationQueue(scheduler: WorkStealingScheduler(workers: 1)).addOperation(operation)
          operation.waitUntilFinished()
        }
        misuse()
      }
      #expect(message(result).contains("waits for itself"))
    }

    @Test func closureWaitsForItsOwnHandle() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 1))
          queue.addOperation { queue.operations.first?.waitUntilFinished() }
          queue.waitUntilAllOperationsAreFinished()
        }
        misuse()
      }
      #expect(message(result).contains("waits for itself"))
    }

    @Test func waitForTheOwnQueue() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
          queue.addOperation { queue.waitUntilAllOperationsAreFinished() }
          queue.waitUntilAllOperationsAreFinished()
        }
        misuse()
      }
      #expect(message(result).contains("from inside one of its operations"))
    }

    @Test func waitForTheOwnQueueInACompletionBlock() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
          let operation = Operation()
          operation.completionBlock = { queue.waitUntilAllOperationsAreFinished() }
          queue.addOperation(operation)
          queue.waitUntilAllOperationsAreFinished()
        }
        misuse()
      }
      #expect(message(result).contains("from inside a completion block"))
    }

    @Test func waitFromTheOnlySlot() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
          queue.maxConcurrentOperationCount = 1
          let later = Operation()
          later.name = "later"
          queue.addOperations(
            [TestOperation { _ in later.waitUntilFinished() }, later], waitUntilFinished: true)
        }
        misuse()
      }
      let text = message(result)
      #expect(text.contains("later") && text.contains("one operation at"))
    }

    @Test func waitOnInlineForWhatCannotStart() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: InlineScheduler())
          let blocked = Operation()
          blocked.addDependency(Operation())
          queue.addOperations(
            [TestOperation { _ in blocked.waitUntilFinished() }, blocked], waitUntilFinished: false)
        }
        misuse()
      }
      #expect(message(result).contains("inline scheduler"))
    }

    @Test func closureForAStartedBlockOperation() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let operation = BlockOperation {}
          operation.start()
          operation.addExecutionBlock {}
        }
        misuse()
      }
      #expect(message(result).contains("has finished"))
    }
  }
}
