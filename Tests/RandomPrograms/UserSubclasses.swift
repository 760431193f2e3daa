// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives

// The subclasses that users write, for our classes and for Foundation's: a link in
// DifferentialTests compiles this file for those. Each module says which `TestedOperation` it
// means.

/// Overrides `main()`.
final class Subclass: TestedOperation, @unchecked Sendable {
  private let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  override func main() { body() }
}

/// Has a condition of its own.
final class Conditional: TestedOperation, @unchecked Sendable {
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

/// The asynchronous operation of the documentation: it drives its own state.
final class Custom: TestedOperation, @unchecked Sendable {
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
