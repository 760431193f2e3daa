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
