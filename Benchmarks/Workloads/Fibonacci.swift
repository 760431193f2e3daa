// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The serial reference of `fork-join`, and the join that every system uses which must not block a
/// worker.
package enum Fibonacci {
  /// The number itself, by addition; argument 0…90.
  package static func value(_ argument: Int) -> UInt64 {
    var pair: (UInt64, UInt64) = (0, 1)
    for _ in 0..<argument { pair = (pair.1, pair.0 + pair.1) }
    return pair.0
  }

  /// Operations that compute it: the root, and one for each call that is not a leaf.
  ///
  /// There are fib(argument + 1) - 1 calls with an argument of 2 or more, so fib(argument + 1)
  /// operations.
  package static func operationCount(_ argument: Int) -> Int { Int(value(argument + 1)) }

  /// Where the values of two calls meet: a heap node with a count of two and the node that gets
  /// their sum.
  ///
  /// Any thread may deliver; nothing waits.
  package final class Join: Sendable {
    private let parent: Join?
    /// Sum so far in the upper 62 bits, values still to come in the lower two.
    private let state: Atomic<UInt64>

    /// A node that passes its sum on to `parent`.
    package init(parent: Join) {
      self.parent = parent
      state = Atomic(2)
    }

    /// The node that gets the value of the whole.
    package init() {
      parent = nil
      state = Atomic(1)
    }

    /// Adds a value; whoever brings the last one carries the sum to the parent.
    package func deliver(_ value: UInt64) {
      var node = self
      var value = value
      while true {
        // acquire and release, edge ValueDelivered: the last deliverer sees what the first one did;
        // the sum itself travels in the word.
        let state = node.state.wrappingAdd(
          value << 2 &- 1, ordering: .acquiringAndReleasing
        ).newValue
        guard state & 3 == 0, let parent = node.parent else {
          if state & 3 == 3 { node.refuse() }
          return
        }
        value = state >> 2
        node = parent
      }
    }

    /// More values have come than calls were made: the whole gets no result any more, since no
    /// delivery leads from a count of three to none.
    private func refuse() {
      var root = self
      while let parent = root.parent { root = parent }
      // relaxed: whoever reads the result is ordered after every delivery.
      root.state.bitwiseOr(3, ordering: .relaxed)
    }

    /// The sum, or nil while a value is missing or when one was delivered twice.
    package var result: UInt64? {
      // acquire: pairs with the release of the last deliverer.
      let state = state.load(ordering: .acquiring)
      return state & 3 == 0 ? state >> 2 : nil
    }
  }
}
