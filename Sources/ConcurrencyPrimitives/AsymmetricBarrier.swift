// SPDX-License-Identifier: Apache-2.0

public import CSystemShims

/// A store-then-load barrier that costs the frequent side nothing and the rare side a system call.
///
/// Two threads each store one variable and load the other's; at least one must see the other's
/// store. With ordered operations both sides pay for a sequentially consistent store. With this
/// barrier the frequent side stores and loads relaxed around `light()`, and the rare side calls
/// `heavy()` between its own store and load. The call runs a full barrier on every running thread
/// of the process (11 µs with another thread running).
///
/// When `isAvailable` is false, both sides must use sequentially consistent operations instead, and
/// then the two functions do nothing. That is so under ThreadSanitizer, which does not know the
/// system call, and where a sandbox refuses it. Copy the flag into a stored constant before use in
/// a hot path. Source: membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED.
@usableFromInline package enum AsymmetricBarrier {
  /// True when `heavy()` orders all threads; the first read registers the process with the kernel.
  package static let isAvailable: Bool =
    Sanitizer.active != .thread && shim_membarrier_register() == 0 && shim_membarrier() == 0

  /// The frequent side, between its relaxed store and its relaxed load: stops the compiler only.
  @inlinable @inline(__always) package static func light() { shim_compiler_barrier() }

  /// The rare side, between its store and its load: a full barrier on every thread of the process
  /// that runs now.
  package static func heavy() {
    guard isAvailable else { return }
    let error = shim_membarrier()
    guard error == 0 else {
      fatalError(
        "membarrier failed with errno \(error) after the process had registered for it; "
          + "expected success for the life of the process. Report this with the kernel version.")
    }
  }
}
