// SPDX-License-Identifier: Apache-2.0

import Operations
import Scheduling
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  /// The fault table: each stops the process with a message that names the place, the finding and the remedy.
  @Suite struct FaultTests {
    private func message(_ result: ExitTest.Result?) -> String {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test(.contract(14)) func startWhenNotReady() async {
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

    @Test(.contract(15)) func startWhileExecuting() async {
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

    @Test(.contract(30)) func selfDependency() async {
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

    @Test(.contract(101)) func waitOnInlineForWhatCannotStart() async {
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

    @Test(.contract(78)) func closureForAStartedBlockOperation() async {
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
