// SPDX-License-Identifier: Apache-2.0

import Foundation
import RandomPrograms

/// What the classes of `UserSubclasses.swift` inherit from in this module.
typealias TestedOperation = Foundation.Operation

/// Foundation's own classes: the reference.
struct FoundationFamily: OperationFamily {
  typealias Operation = Foundation.Operation
  typealias Queue = OperationQueue

  var name: String { "Foundation" }

  func makeQueue() -> Queue { OperationQueue() }
  func makePlain() -> Operation { Operation() }
  func makeBlock(_ blocks: [@Sendable () -> Void]) -> Operation {
    guard let first = blocks.first else { return BlockOperation() }
    let operation = BlockOperation(block: first)
    for block in blocks.dropFirst() { operation.addExecutionBlock(block) }
    return operation
  }
  func makeSubclass(_ body: @escaping @Sendable () -> Void) -> Operation { Subclass(body) }
  func makeConditional(_ body: @escaping @Sendable () -> Void) -> Operation { Conditional(body) }
  func makeHeld(_ begin: @escaping @Sendable () -> Void) -> Operation { Custom(begin) }
  func makeCustom(_ begin: @escaping @Sendable () -> Void) -> Operation { Custom(begin) }
  func setOpen(_ operation: Operation, _ isOpen: Bool) {
    (operation as? Conditional)?.set(open: isOpen)
  }
  func finish(_ operation: Operation) { (operation as? Custom)?.finish() }

  func start(_ operation: Operation) { operation.start() }
  func cancel(_ operation: Operation) { operation.cancel() }
  func addDependency(_ operation: Operation, on other: Operation) {
    operation.addDependency(other)
  }
  func removeDependency(_ operation: Operation, on other: Operation) {
    operation.removeDependency(other)
  }
  func setPriority(_ operation: Operation, _ rawValue: Int) {
    operation.queuePriority = Operation.QueuePriority(rawValue: rawValue) ?? .normal
  }
  func setCompletionBlock(_ operation: Operation, _ block: @escaping @Sendable () -> Void) {
    operation.completionBlock = block
  }
  func wait(_ operation: Operation) { operation.waitUntilFinished() }
  func flags(_ operation: Operation) -> Snapshot.Flags {
    Snapshot.Flags(
      isReady: operation.isReady, isExecuting: operation.isExecuting,
      isFinished: operation.isFinished, isCancelled: operation.isCancelled,
      priority: operation.queuePriority.rawValue)
  }
  func dependencies(_ operation: Operation) -> [Operation] { operation.dependencies }

  func add(_ operation: Operation, to queue: Queue) { queue.addOperation(operation) }
  func addAll(_ operations: [Operation], to queue: Queue, waits: Bool) {
    queue.addOperations(operations, waitUntilFinished: waits)
  }
  func addClosure(_ body: @escaping @Sendable () -> Void, to queue: Queue) {
    queue.addOperation(body)
  }
  func addBarrier(_ body: @escaping @Sendable () -> Void, to queue: Queue) {
    queue.addBarrierBlock(body)
  }
  func cancelAll(_ queue: Queue) { queue.cancelAllOperations() }
  func setSuspended(_ queue: Queue, _ isSuspended: Bool) { queue.isSuspended = isSuspended }
  func setLimit(_ queue: Queue, _ limit: Int) { queue.maxConcurrentOperationCount = limit }
  func wait(queue: Queue) { queue.waitUntilAllOperationsAreFinished() }
  func state(_ queue: Queue) -> Snapshot.Queue {
    Snapshot.Queue(
      count: queue.operationCount, limit: queue.maxConcurrentOperationCount,
      isSuspended: queue.isSuspended)
  }
  func members(_ queue: Queue) -> [Operation] { queue.operations }
  func isCurrent(_ queue: Queue) -> Bool { OperationQueue.current === queue }
}
