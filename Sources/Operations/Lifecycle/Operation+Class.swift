// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import Scheduling
import Synchronization

// What is known of an operation's class. Of its own classes this room knows it when the object is
// made. Of others Swift's runtime is asked, once per class.

extension Operation {
  /// Gives a new object these flags, and notes if it is of exactly this class of ours, so that no
  /// hook is overridden.
  ///
  /// In initialisers of classes of this room, which call it for their own class after
  /// `super.init()`.
  final func setInitialState(
    of exactly: Operation.Type, _ flags: UInt32 = StateBit.retainsDependencies
  ) {
    let builtIn = type(of: self) == exactly ? StateBit.builtIn | StateBit.plain : 0
    // relaxed: nobody else has the object yet.
    state.store(StateBit.normalBand | flags | builtIn, ordering: .relaxed)
  }

  /// Of exactly a class of this room, and not of a user's.
  final var isBuiltIn: Bool {
    // relaxed: does not change once the object is known to others.
    state.load(ordering: .relaxed) & StateBit.builtIn != 0
  }

  /// `StateBit.plain` if the operation is plain, else 0; for its begin.
  @inline(__always) final func plainness(_ bits: UInt32) -> UInt32 {
    if bits & StateBit.plain != 0 { return StateBit.plain }
    return shim_overrides_start_or_flags(classAddress) == 0 ? StateBit.plain : 0
  }

  /// The class has a `start()` of its own, so that a skip comes to code of the user's, which could
  /// want a slot.
  final var overridesStart: Bool { !isBuiltIn && shim_overrides_start(classAddress) != 0 }

  /// The class has a `cancel()` of its own, which is user code.
  final var overridesCancel: Bool { !isBuiltIn && shim_overrides_cancel(classAddress) != 0 }

  @inline(__always) private final var classAddress: UInt {
    UInt(bitPattern: ObjectIdentifier(type(of: self)))
  }
}
