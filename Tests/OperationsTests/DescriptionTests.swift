// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

/// As programs written for Foundation's class, which is an `NSObject`, have it.
private final class DescribedOperation: BlockOperation, @unchecked Sendable {
  override var description: String { "described: \(super.description)" }
}

private final class DescribedQueue: OperationQueue, @unchecked Sendable {
  override var description: String { "described: \(super.description)" }
}

extension OperationLayer {
  @Suite struct DescriptionTests {
    @Test func operationsSayNameAndState() {
      let operation = BlockOperation {}
      operation.name = "fetch"
      #expect("\(operation)" == "BlockOperation \"fetch\" (pending, ready)")
      operation.cancel()
      #expect("\(operation)" == "BlockOperation \"fetch\" (pending, ready, cancelled)")
      operation.start()
      #expect("\(operation)" == "BlockOperation \"fetch\" (finished, cancelled)")
      let described = DescribedOperation {}
      described.name = "own"
      #expect("\(described)" == "described: DescribedOperation \"own\" (pending, ready)")
      #expect("\(Operation())".hasPrefix("Operation 0x"))
    }

    @Test func queuesSayNameAndState() {
      let queue = DescribedQueue(scheduler: Kind.inline.make(1))
      queue.name = "net"
      #expect("\(queue)" == "described: queue \"net\" (0 operations, no limit)")
      queue.isSuspended = true
      queue.addOperation {}
      #expect("\(queue)" == "described: queue \"net\" (1 operation, no limit, suspended)")
      queue.maxConcurrentOperationCount = 2
      queue.addOperation {}
      #expect("\(queue)" == "described: queue \"net\" (2 operations, limit 2, suspended)")
      queue.isSuspended = false
      queue.expectQuiet()
    }

    /// A condition may want a lock that whoever prints the operation holds.
    @Test func descriptionsCallNothingOfTheProgram() {
      let calls = Atomic<Int>(0)
      let operation = BlockOperation {}
      operation.name = "careful"
      operation.addReadinessCondition(
        ReadinessPredicate {
          calls.add(1, ordering: .relaxed)
          return true
        })
      let before = calls.load(ordering: .relaxed)
      #expect(
        "\(operation)" == "BlockOperation \"careful\" (pending, ready but for its conditions)")
      #expect(calls.load(ordering: .relaxed) == before)
    }
  }
}
