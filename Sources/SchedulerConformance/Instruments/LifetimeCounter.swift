// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Counts the tokens it has handed out that are still alive: captured by jobs, it shows a leak or a
/// double release.
package final class LifetimeCounter: Sendable {
  private let count = Atomic<Int>(0)

  /// No tokens yet.
  package init() {}

  /// Tokens that are alive now.
  package var live: Int {
    // acquire: pairs with the release in deinit.
    count.load(ordering: .acquiring)
  }

  /// A new token.
  package func token() -> Token { Token(self) }

  /// Alive from `token()` until its last reference goes.
  package final class Token: Sendable {
    private let counter: LifetimeCounter

    fileprivate init(_ counter: LifetimeCounter) {
      self.counter = counter
      counter.count.add(1, ordering: .relaxed)  // relaxed: only the sum counts.
    }

    deinit {
      counter.count.subtract(1, ordering: .releasing)  // release: pairs with the acquire in `live`.
    }
  }
}
