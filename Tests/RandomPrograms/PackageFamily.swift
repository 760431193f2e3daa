// SPDX-License-Identifier: Apache-2.0

package import Operations
internal import SchedulerConformance
package import Scheduling

/// The classes of this package on one scheduler.
package struct PackageFamily: OperationFamily {
  package typealias Operation = Operations.Operation
  package typealias Queue = OperationQueue

  package let name: String
  package let scheduler: any Scheduler

  package init(name: String, scheduler: any Scheduler) {
    self.name = name
    self.scheduler = scheduler
  }

  package func makeQueue() -> Queue { OperationQueue(scheduler: scheduler) }
  package func makePlain() -> Operation { Operation() }
  package func makeBlock(_ blocks: [@Sendable () -> Void]) -> Operation {
    guard let first = blocks.first else { return BlockOperation() }
    let operation = BlockOperation(block: first)
    for block in blocks.dropFirst() { operation.addExecutionBlock(block) }
    return operation
  }
  package func makeSubclass(_ body: @escaping @Sendable () -> Void) -> Operation { Subclass(body) }
  package func makeConditional(_ body: @escaping @Sendable () -> Void) -> Operation {
    Conditional(body)
  }
  package func makeHeld(_ begin: @escaping @Sendable () -> Void) -> Operation { Held(begin) }
  package func makeCustom(_ begin: @escaping @Sendable () -> Void) -> Operation { Custom(begin) }
  package func setOpen(_ operation: Operation, _ isOpen: Bool) {
    (operation as? Conditional)?.set(open: isOpen)
  }
  package func finish(_ operation: Operation) {
    (operation as? Held)?.finish()
    (operation as? Custom)?.finish()
  }

  package func start(_ operation: Operation) { operation.start() }
  package func cancel(_ operation: Operation) { operation.cancel() }
  package func addDependency(_ operation: Operation, on other: Operation) {
    operation.addDependency(other)
  }
  package func removeDependency(_ operation: Operation, on other: Operation) {
    operation.removeDependency(other)
  }
  package func setPriority(_ operation: Operation, _ rawValue: Int) {
    operation.queuePriority = Operation.QueuePriority(rawValue: rawValue) ?? .normal
  }
  package func setCompletionBlock(_ operation: Operation, _ block: @escaping @Sendable () -> Void) {
    operation.completionBlock = block
  }
  package func wait(_ operation: Operation) { operation.waitUntilFinished() }
  package func flags(_ operation: Operation) -> Snapshot.Flags {
    Snapshot.Flags(
      isReady: operation.isReady, isExecuting: operation.isExecuting,
      isFinished: operation.isFinished, isCancelled: operation.isCancelled,
      priority: operation.queuePriority.rawValue)
  }
  package func dependencies(_ operation: Operation) -> [Operation] { operation.dependencies }

  package func add(_ operation: Operation, to queue: Queue) { queue.addOperation(operation) }
  package func addAll(_ operations: [Operation], to queue: Queue, waits: Bool) {
    queue.addOperations(operations, waitUntilFinished: waits)
  }
  package func addClosure(_ body: @escaping @Sendable () -> Void, to queue: Queue) {
    queue.addOperation(body)
  }
  package func addBarrier(_ body: @escaping @Sendable () -> Void, to queue: Queue) {
    queue.addBarrierBlock(body)
  }
  package func cancelAll(_ queue: Queue) { queue.cancelAllOperations() }
  package func setSuspended(_ queue: Queue, _ isSuspended: Bool) { queue.isSuspended = isSuspended }
  package func setLimit(_ queue: Queue, _ limit: Int) { queue.maxConcurrentOperationCount = limit }
  package func wait(queue: Queue) { queue.waitUntilAllOperationsAreFinished() }
  package func state(_ queue: Queue) -> Snapshot.Queue {
    Snapshot.Queue(
      count: queue.operationCount, limit: queue.maxConcurrentOperationCount,
      isSuspended: queue.isSuspended, isQuiet: queue.isEmpty && queue.wait(timeout: .zero))
  }
  package func members(_ queue: Queue) -> [Operation] { queue.operations }
  package func isCurrent(_ queue: Queue) -> Bool { OperationQueue.current === queue }
  package func occupyWorker(_ body: @escaping @Sendable () -> Void) { scheduler.submit(body) }
}
