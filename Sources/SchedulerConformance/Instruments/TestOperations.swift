// SPDX-License-Identifier: Apache-2.0

package import Operations
package import Synchronization

/// A subclass that counts how often its body ran, and that shows by a token whether it is alive.
package final class TestOperation: Operation, @unchecked Sendable {
  private let runs = Atomic<Int>(0)
  private let body: @Sendable (TestOperation) -> Void
  private let token: LifetimeCounter.Token?

  package init(
    _ lifetimes: LifetimeCounter? = nil,
    _ body: @escaping @Sendable (TestOperation) -> Void = { _ in }
  ) {
    self.body = body
    token = lifetimes?.token()
    super.init()
  }

  package override func main() {
    runs.add(1, ordering: .relaxed)  // relaxed: read after the operation has finished.
    body(self)
  }

  package var runCount: Int { runs.load(ordering: .relaxed) }  // relaxed: as above
}

/// An operation with a condition of its own besides its dependencies.
package final class ConditionalOperation: Operation, @unchecked Sendable {
  package let isOpen: Atomic<Bool>
  package let runs = Atomic<Int>(0)

  package init(isOpen: Bool = false) {
    self.isOpen = Atomic(isOpen)
    super.init()
  }

  // acquire: pairs with the release in `set`.
  package override var isReady: Bool { super.isReady && isOpen.load(ordering: .acquiring) }
  // relaxed: read after the operation has finished.
  package override func main() { runs.add(1, ordering: .relaxed) }

  /// Changes the condition and announces it.
  package func set(open: Bool) {
    willChangeValue(forKey: "isReady")
    isOpen.store(open, ordering: .releasing)  // release: pairs with the acquire in `isReady`.
    didChangeValue(forKey: "isReady")
  }
}

/// An asynchronous operation whose body calls a closure.
package final class TestAsyncOperation: AsyncOperation, @unchecked Sendable {
  package let runs = Atomic<Int>(0)
  private let body: @Sendable (TestAsyncOperation) -> Void
  private let token: LifetimeCounter.Token?

  package init(
    _ lifetimes: LifetimeCounter? = nil,
    _ body: @escaping @Sendable (TestAsyncOperation) -> Void = { _ in }
  ) {
    self.body = body
    token = lifetimes?.token()
    super.init()
  }

  package override func main() {
    runs.add(1, ordering: .relaxed)  // relaxed: read after the finish.
    body(self)
  }
}

/// An asynchronous operation that finishes when it is cancelled.
final class SelfFinishingOperation: AsyncOperation, @unchecked Sendable {
  override func cancel() {
    super.cancel()
    finish()
  }
}
