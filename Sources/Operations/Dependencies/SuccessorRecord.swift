// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// An entry of a successor list that is no inline edge: an edge beyond the third, a hidden edge or
/// a waiter.
///
/// The link belongs to the list from the push until the finisher has read it.
struct SuccessorRecord: ~Copyable {
  enum Kind: UInt8 {
    /// `owner` is the dependent; the record lives in its cold table.
    case edge
    /// On a waiter's stack: `flag` is the last thing the finisher touches besides the parker.
    case waiter
    /// On the heap, the list's: `owner` is a retained `FinishGate`.
    case gate
  }

  let link = Atomic<UInt>(0)
  let kind: Kind
  /// Set once the finisher is done (waiters).
  let flag = Atomic<Bool>(false)
  /// The dependent, unretained (edges), or the gate, retained.
  private(set) var owner: UInt = 0
  /// Whom to unpark (waiters).
  private(set) var parker: Parker?
  /// The operation waited for, retained by the cold table (edges); 0 after it was let go.
  var dependency: UInt = 0
  /// Not listed in `dependencies`: the edge on a barrier.
  private(set) var isHidden = false
  /// Holds the operation back under the locked count; under the dependent's edit lock.
  var isBlocking = false

  /// An edge from `dependency` to `owner`.
  init(edgeOf owner: UInt, on dependency: UInt, isHidden: Bool) {
    kind = .edge
    self.owner = owner
    self.dependency = dependency
    self.isHidden = isHidden
  }

  /// A gate; takes over one reference to the object at `gate`.
  init(gate: UInt) {
    kind = .gate
    owner = gate
  }

  /// A waiter that `parker` blocks.
  init(waiter parker: Parker) {
    kind = .waiter
    self.parker = parker
  }
}

/// Address of a record.
typealias RecordPointer = UnsafeMutablePointer<SuccessorRecord>
