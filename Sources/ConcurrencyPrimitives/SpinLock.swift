// SPDX-License-Identifier: Apache-2.0

public import CSystemShims
public import Synchronization

/// A one-word lock for critical sections of a few instructions.
///
/// Not recursive and not fair. A thread that finds it taken pauses, then yields its processor, so
/// that a holder that was descheduled gets to run. Never call out of the room, allocate or block
/// while holding it.
@usableFromInline package struct SpinLock: ~Copyable, Sendable {
  @usableFromInline internal let word = Atomic<UInt32>(0)

  /// A free lock.
  @inlinable package init() {}

  /// Takes the lock, waiting as long as another thread holds it.
  @inlinable package borrowing func lock() {
    guard !tryLock() else { return }
    lockSlowly()
  }

  /// Takes the lock when it is free.
  @inlinable package borrowing func tryLock() -> Bool {
    // acquiring, edge LockHandedOver: pairs with the release in unlock().
    word.exchange(1, ordering: .acquiring) == 0
  }

  /// Frees the lock; holder only.
  @inlinable package borrowing func unlock() {
    shim_keep_order()
    // releasing, edge LockHandedOver: pairs with the exchange in tryLock().
    word.store(0, ordering: .releasing)
  }

  /// Runs `body` with the lock held.
  @inlinable package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock()
    defer { unlock() }
    return try body()
  }

  @usableFromInline internal borrowing func lockSlowly() {
    var backoff = Backoff()
    repeat {
      // relaxed: only decides when to try again; tryLock() acquires.
      while word.load(ordering: .relaxed) != 0 { backoff.wait() }
    } while !tryLock()
  }
}
