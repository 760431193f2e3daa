// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
internal import Operations

/// What the classes of `UserSubclasses.swift` inherit from in this module.
typealias TestedOperation = Operation

// The subclasses of what Foundation has not.

/// Goes on after `main()` until somebody calls `finish()`.
final class Held: AsyncOperation, @unchecked Sendable {
  private let begin: @Sendable () -> Void
  init(_ begin: @escaping @Sendable () -> Void) {
    self.begin = begin
    super.init()
  }
  override func main() { begin() }
}

/// Does something when it is cancelled, and needs no slot then.
final class Cancelling: Operation, @unchecked Sendable {
  private let body: @Sendable () -> Void
  private let inCancel: @Sendable () -> Void
  private let once = Once()
  init(_ body: @escaping @Sendable () -> Void, _ inCancel: @escaping @Sendable () -> Void) {
    self.body = body
    self.inCancel = inCancel
  }
  override var isSkippedWithoutSlot: Bool { true }
  override func main() { body() }
  override func cancel() {
    super.cancel()
    // For it may cancel this one again.
    if once.isFirst() { inCancel() }
  }
}

/// Does something when it is cancelled.
final class CancellingGroup: GroupOperation, @unchecked Sendable {
  private let inCancel: @Sendable () -> Void
  private let once = Once()
  init(
    _ members: [Operation], collectsErrors: Bool, _ body: @escaping @Sendable () -> Void,
    _ inCancel: @escaping @Sendable () -> Void
  ) {
    self.inCancel = inCancel
    super.init(members, collectsErrors: collectsErrors) { _ in body() }
  }
  override func cancel() {
    super.cancel()
    if once.isFirst() { inCancel() }
  }
}

/// Tells the first who asks from all others.
private final class Once: Sendable {
  private let isOver = Locked(false)

  func isFirst() -> Bool {
    isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
  }
}

/// Has a `start()` of its own, so that it takes a slot even to be skipped.
final class Starting: Operation, @unchecked Sendable {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  override func start() { super.start() }
  override func main() { body() }
}

/// Lets something go before it is cancelled.
final class Releasing: Operation, @unchecked Sendable {
  private let body: @Sendable () -> Void
  private let release: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void, _ release: @escaping @Sendable () -> Void) {
    self.body = body
    self.release = release
  }
  override func main() { body() }
  override func cancel() {
    release()
    super.cancel()
  }
}

/// As `Releasing`, made of others.
final class ReleasingGroup: GroupOperation, @unchecked Sendable {
  private let release: @Sendable () -> Void
  init(
    _ members: [Operation], _ body: @escaping @Sendable () -> Void,
    _ release: @escaping @Sendable () -> Void
  ) {
    self.release = release
    super.init(members) { _ in body() }
  }
  override func cancel() {
    release()
    super.cancel()
  }
}
