// SPDX-License-Identifier: Apache-2.0

import RandomPrograms

/// The package's classes with one thing wrong, to show that the comparison finds it.
struct FaultyFamily: OperationFamily {
  enum Fault: CaseIterable, Sendable {
    case barrierIsAnOrdinaryBlock
    case completionRunsTwice
    case suspensionIsForgottenByBatches
    case cancelAllSparesTheLast
  }

  typealias Operation = PackageFamily.Operation
  typealias Queue = PackageFamily.Queue
  let base: PackageFamily
  let fault: Fault

  var name: String { "\(fault)" }

  func makeQueue() -> Queue { base.makeQueue() }
  func makePlain() -> Operation { base.makePlain() }
  func makeBlock(_ blocks: [@Sendable () -> Void]) -> Operation { base.makeBlock(blocks) }
  func makeSubclass(_ body: @escaping @Sendable () -> Void) -> Operation { base.makeSubclass(body) }
  func makeConditional(_ body: @escaping @Sendable () -> Void) -> Operation {
    base.makeConditional(body)
  }
  func makeHeld(_ begin: @escaping @Sendable () -> Void) -> Operation { base.makeHeld(begin) }
  func makeCustom(_ begin: @escaping @Sendable () -> Void) -> Operation { base.makeCustom(begin) }
  func setOpen(_ operation: Operation, _ isOpen: Bool) { base.setOpen(operation, isOpen) }
  func finish(_ operation: Operation) { base.finish(operation) }

  func start(_ operation: Operation) { base.start(operation) }
  func cancel(_ operation: Operation) { base.cancel(operation) }
  func addDependency(_ operation: Operation, on other: Operation) {
    base.addDependency(operation, on: other)
  }
  func removeDependency(_ operation: Operation, on other: Operation) {
    base.removeDependency(operation, on: other)
  }
  func setPriority(_ operation: Operation, _ rawValue: Int) {
    base.setPriority(operation, rawValue)
  }
  func setCompletionBlock(_ operation: Operation, _ block: @escaping @Sendable () -> Void) {
    base.setCompletionBlock(operation) {
      block()
      if fault == .completionRunsTwice { block() }
    }
  }
  func wait(_ operation: Operation) { base.wait(operation) }
  func flags(_ operation: Operation) -> Snapshot.Flags { base.flags(operation) }
  func dependencies(_ operation: Operation) -> [Operation] { base.dependencies(operation) }

  func add(_ operation: Operation, to queue: Queue) { base.add(operation, to: queue) }
  func addAll(_ operations: [Operation], to queue: Queue, waits: Bool) {
    let wasSuspended = base.state(queue).isSuspended
    let forgets = fault == .suspensionIsForgottenByBatches && wasSuspended
    if forgets { base.setSuspended(queue, false) }
    base.addAll(operations, to: queue, waits: waits)
    if forgets { base.setSuspended(queue, true) }
  }
  func addClosure(_ body: @escaping @Sendable () -> Void, to queue: Queue) {
    base.addClosure(body, to: queue)
  }
  func addBarrier(_ body: @escaping @Sendable () -> Void, to queue: Queue) {
    guard fault == .barrierIsAnOrdinaryBlock else { return base.addBarrier(body, to: queue) }
    base.addClosure(body, to: queue)
  }
  func cancelAll(_ queue: Queue) {
    guard fault == .cancelAllSparesTheLast else { return base.cancelAll(queue) }
    for operation in base.members(queue).dropLast() { base.cancel(operation) }
  }
  func setSuspended(_ queue: Queue, _ isSuspended: Bool) { base.setSuspended(queue, isSuspended) }
  func setLimit(_ queue: Queue, _ limit: Int) { base.setLimit(queue, limit) }
  func wait(queue: Queue) { base.wait(queue: queue) }
  func state(_ queue: Queue) -> Snapshot.Queue { base.state(queue) }
  func members(_ queue: Queue) -> [Operation] { base.members(queue) }
  func isCurrent(_ queue: Queue) -> Bool { base.isCurrent(queue) }
}
