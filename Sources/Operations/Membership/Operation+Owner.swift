// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import Synchronization

// To whom an operation belongs, for messages.

/// What messages call an operation: type and name, or address.
struct OperationLabel: Sendable, CustomStringConvertible {
  let type: Operation.Type
  let name: String?
  let word: UInt

  var description: String {
    name.map { "\(type) \"\($0)\"" } ?? "\(type) 0x\(String(word, radix: 16))"
  }
}

extension Operation {
  /// Type and name of the group, timeout or retry that will start the operation; nil when there is
  /// none.
  final var labelOfOwner: OperationLabel? {
    let bits = lockState()
    // acquire, edge Submitted.
    let isReserved = membership.load(ordering: .acquiring) == Membership.reserved
    // relaxed: published by the reservation.
    let owner = isReserved ? header.link.load(ordering: .relaxed) : 0
    // Under the lock the owner can neither start its members nor give the claim up: it is not gone,
    // but it may be ending, and wait for the lock in its deinit. Whoever retains it here gives it
    // up below, without the lock.
    let isKept = owner != 0 && shim_retain_unless_ending(owner) != 0
    unlockState(bits)
    // SAFETY: it was just retained.
    return unsafe isKept ? Self.reference(owner).takeRetainedValue().label : nil
  }
}
