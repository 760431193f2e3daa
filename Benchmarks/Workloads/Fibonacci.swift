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

  /// Where the values of two calls meet: a node on the heap with a count of two and the node that
  /// gets their sum.
  ///
  /// Any thread may deliver; nothing waits. Whoever brings the last value frees the node: counted
  /// references to it would cost more than the operations that are measured.
  @safe package struct Join: Sendable {
    @unsafe private struct Node: ~Copyable {
      let parent: UnsafeMutablePointer<Node>?
      /// Sum so far in the upper 62 bits, values still to come in the lower two.
      let state: Atomic<UInt64>
    }

    private nonisolated(unsafe) let node: UnsafeMutablePointer<Node>

    /// A node that passes its sum on to `parent`.
    package init(parent: Join) { unsafe self.init(values: 2, parent: parent.node) }

    /// The node that gets the value of the whole, until `free()`.
    package init() { unsafe self.init(values: 1, parent: nil) }

    private init(values: UInt64, parent: UnsafeMutablePointer<Node>?) {
      unsafe node = .allocate(capacity: 1)
      unsafe node.initialize(to: Node(parent: parent, state: Atomic(values)))
    }

    /// Adds a value; whoever brings the last one carries the sum to the parent.
    ///
    /// As often as values are to come, since the node is gone after that.
    package func deliver(_ value: UInt64) {
      var node = unsafe node
      var value = value
      while true {
        // SAFETY: a node is there until its last value has come, and the parent's is this one.
        // acquire and release, edge ValueDelivered: the last deliverer sees what the first one did;
        // the sum itself travels in the word.
        let state = unsafe node.pointee.state.wrappingAdd(
          value << 2 &- 1, ordering: .acquiringAndReleasing
        ).newValue
        guard state & 3 == 0, let parent = unsafe node.pointee.parent else { return }
        unsafe node.deallocate()
        value = state >> 2
        unsafe node = parent
      }
    }

    /// The sum of the whole, or nil while a value is missing.
    package var result: UInt64? {
      // acquire: pairs with the release of the last deliverer.
      let state = unsafe node.pointee.state.load(ordering: .acquiring)
      return state & 3 == 0 ? state >> 2 : nil
    }

    /// Lets go of the node of the whole, to which everything has been delivered.
    package func free() { unsafe node.deallocate() }
  }
}
