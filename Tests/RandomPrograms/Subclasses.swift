// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
internal import Operations

// The subclasses that users write.

/// Overrides `main()`.
final class Subclass: Operation, @unchecked Sendable {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  override func main() { body() }
}

/// Has a condition of its own.
final class Conditional: Operation, @unchecked Sendable {
  private let body: @Sendable () -> Void
  private let isOpen = Locked(false)
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  override var isReady: Bool { super.isReady && isOpen.withLock { $0 } }
  override func main() { body() }
  func set(open: Bool) {
    willChangeValue(forKey: "isReady")
    isOpen.withLock { $0 = open }
    didChangeValue(forKey: "isReady")
  }
}

/// Goes on after `main()` until somebody calls `finish()`.
final class Held: AsyncOperation, @unchecked Sendable {
  private let begin: @Sendable () -> Void
  init(_ begin: @escaping @Sendable () -> Void) {
    self.begin = begin
    super.init()
  }
  override func main() { begin() }
}

/// The asynchronous operation of the documentation: it drives its own state.
final class Custom: Operation, @unchecked Sendable {
  private let begin: @Sendable () -> Void
  private let state = Locked((isExecuting: false, isFinished: false, isEnding: false))
  init(_ begin: @escaping @Sendable () -> Void) { self.begin = begin }
  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { state.withLock { $0.isExecuting } }
  override var isFinished: Bool { state.withLock { $0.isFinished } }
  override func start() {
    if isFinished { return }
    if isCancelled { return finish() }
    willChangeValue(forKey: "isExecuting")
    state.withLock { $0.isExecuting = true }
    didChangeValue(forKey: "isExecuting")
    begin()
  }
  /// Once: two announcements of one change would be the user's mistake.
  func finish() {
    let isFirst = state.withLock { state in
      defer { state.isEnding = true }
      return !state.isEnding
    }
    guard isFirst else { return }
    willChangeValue(forKey: "isExecuting")
    willChangeValue(forKey: "isFinished")
    state.withLock { $0 = (false, true, true) }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }
}

/// Does something when it is cancelled, and needs no slot then.
final class Cancelling: Operation, @unchecked Sendable {
  private let body: @Sendable () -> Void
  private let inCancel: @Sendable () -> Void
  private let isCancelling = Locked(false)
  init(_ body: @escaping @Sendable () -> Void, _ inCancel: @escaping @Sendable () -> Void) {
    self.body = body
    self.inCancel = inCancel
  }
  override var flushesWithoutSlot: Bool { true }
  override func main() { body() }
  override func cancel() {
    super.cancel()
    // Once, for it may cancel this one again.
    let isFirst = isCancelling.withLock { isCancelling in
      defer { isCancelling = true }
      return !isCancelling
    }
    if isFirst { inCancel() }
  }
}
