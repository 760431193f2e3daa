// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite(.contract(32)) struct ValidationTests {
    @Test func acceptsGraphsWithoutCycles() throws {
      try OperationQueue.validateGraph([])
      let operations = (0..<50).map { _ in Operation() }
      for number in 1..<50 {
        operations[number].addDependency(operations[number / 2])
        operations[number].addDependency(operations[number - 1])
      }
      try OperationQueue.validateGraph(operations.shuffled())
      try OperationQueue.validateGraph([operations[49]])
    }

    @Test(.contract(31, 32), arguments: [2, 3, 10, 100_000])
    func namesTheCycle(_ length: Int) {
      let ring = (0..<length).map { _ in Operation() }
      for number in 0..<length { ring[number].addDependency(ring[(number + 1) % length]) }
      let before = Operation()
      before.addDependency(Operation())
      before.addDependency(ring[0])
      // The ring is found from outside.
      let error = #expect(throws: OperationError.self) {
        try OperationQueue.validateGraph([Operation(), before])
      }
      guard case .dependencyCycle(let path)? = error else {
        Issue.record("no cycle found")
        return
      }
      #expect(path.count == length + 1 && path.first === path.last && Set(path) == Set(ring))
      for (operation, next) in zip(path, path.dropFirst()) {
        #expect(operation.dependencies == [next])
      }
      ring[0].removeDependency(ring[1 % length])
    }

    @Test func whatHasEndedBreaksACycle() throws {
      let (first, second) = (Operation(), Operation())
      first.addDependency(second)
      second.addDependency(first)
      #expect(throws: OperationError.self) { try OperationQueue.validateGraph([first]) }
      first.cancel()
      try OperationQueue.validateGraph([first, second])
      first.start()
      try OperationQueue.validateGraph([first, second])
      second.removeDependency(first)
    }

    @Test(arguments: Kind.each)
    func batchWithACycleIsRefused(_ kind: Kind) throws {
      let queue = kind.queue()
      let operations = (0..<4).map { _ in TestOperation() }
      operations[1].addDependency(operations[2])
      operations[2].addDependency(operations[1])
      let error = #expect(throws: OperationError.self) {
        try queue.tryAddOperations(operations, validating: true)
      }
      #expect(error?.description.contains("wait for each other") == true)
      #expect(queue.operationCount == 0 && operations.allSatisfy { $0.runCount == 0 })
      operations[2].removeDependency(operations[1])
      queue.addOperations(operations, waitUntilFinished: true, validating: true)
      #expect(operations.allSatisfy { $0.runCount == 1 })
    }

    @Test func batchWithACycleStopsTheProcess() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let (first, second) = (Operation(), Operation())
          (first.name, second.name) = ("hen", "egg")
          first.addDependency(second)
          second.addDependency(first)
          Kind.inline.queue().addOperations(
            [first, second], waitUntilFinished: true, validating: true)
        }
        misuse()
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("\"hen\"") && text.contains("\"egg\"") && text.contains("remove one"))
    }
  }
}
