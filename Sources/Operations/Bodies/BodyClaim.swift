// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Whose the body of an operation is: it goes to the first of all calls of `main()` and to the
/// skip that skips it (contract 10).
///
/// `BlockOperation` has the edit lock for it, since its closures lie there. Page: Bodies.md.
struct BodyClaim: ~Copyable {
  private let isTaken = Atomic<Bool>(false)

  /// True for the first caller: the body is his, to run or to let go of.
  borrowing func take() -> Bool {
    // acquire, edge BodyClaimed: what the adder stored; release: nothing, a later caller keeps away
    // from it.
    !isTaken.exchange(true, ordering: .acquiring)
  }
}
