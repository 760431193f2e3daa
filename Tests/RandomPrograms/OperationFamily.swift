// SPDX-License-Identifier: Apache-2.0

/// One implementation of operations and queues, as the interpreter drives it.
///
/// Both conformances call members of the same names; what differs is the module that they come
/// from.
package protocol OperationFamily: Sendable {
  associatedtype Operation: AnyObject, Sendable
  associatedtype Queue: AnyObject, Sendable

  var name: String { get }

  func makeQueue() -> Queue
  func makePlain() -> Operation
  func makeBlock(_ blocks: [@Sendable () -> Void]) -> Operation
  func makeSubclass(_ body: @escaping @Sendable () -> Void) -> Operation
  /// A subclass that is not ready until `setOpen(_:_:)`.
  func makeConditional(_ body: @escaping @Sendable () -> Void) -> Operation
  /// An operation that goes on after `begin` has returned, until `finish(_:)`.
  func makeHeld(_ begin: @escaping @Sendable () -> Void) -> Operation
  /// The same through overrides of `start()` and the state properties.
  func makeCustom(_ begin: @escaping @Sendable () -> Void) -> Operation
  func setOpen(_ operation: Operation, _ isOpen: Bool)
  func finish(_ operation: Operation)

  func start(_ operation: Operation)
  func cancel(_ operation: Operation)
  func addDependency(_ operation: Operation, on other: Operation)
  func removeDependency(_ operation: Operation, on other: Operation)
  func setPriority(_ operation: Operation, _ rawValue: Int)
  func setCompletionBlock(_ operation: Operation, _ block: @escaping @Sendable () -> Void)
  func wait(_ operation: Operation)
  /// Everything but the dependencies.
  func flags(_ operation: Operation) -> Snapshot.Flags
  func dependencies(_ operation: Operation) -> [Operation]

  func add(_ operation: Operation, to queue: Queue)
  func addAll(_ operations: [Operation], to queue: Queue, waits: Bool)
  func addClosure(_ body: @escaping @Sendable () -> Void, to queue: Queue)
  func addBarrier(_ body: @escaping @Sendable () -> Void, to queue: Queue)
  func cancelAll(_ queue: Queue)
  func setSuspended(_ queue: Queue, _ isSuspended: Bool)
  func setLimit(_ queue: Queue, _ limit: Int)
  func wait(queue: Queue)
  func state(_ queue: Queue) -> Snapshot.Queue
  func members(_ queue: Queue) -> [Operation]
  func isCurrent(_ queue: Queue) -> Bool

  /// A worker runs the body, which is no operation's.
  func occupyWorker(_ body: @escaping @Sendable () -> Void)
}

extension OperationFamily {
  package func occupyWorker(_ body: @escaping @Sendable () -> Void) {
    fatalError("\(name) has no jobs beside its operations; leave the step out of its programs")
  }
}
