// SPDX-License-Identifier: Apache-2.0

public import CSystemShims
public import Synchronization

/// A value guarded by a small futex lock.
///
/// Used instead of `Synchronization.Mutex` for two reasons: ThreadSanitizer sees the edges of this
/// lock and none of that one's, and an uncontended pair costs two locked instructions in the
/// caller's code. Not recursive, not fair. A function goes in as a field of a struct: as the state
/// itself it would be wrapped once more by every access, and the calls through the wrappers end on
/// the guard page of the stack. Edge LockRelease: the release store in `unlock` pairs with the
/// acquire that takes the lock next.
@safe @usableFromInline package struct Locked<State: ~Copyable>: ~Copyable, Sendable {
  @usableFromInline let word: Atomic<UInt32>
  @usableFromInline nonisolated(unsafe) let state: UnsafeMutablePointer<State>

  /// Guards `initial`.
  @inlinable package init(_ initial: consuming State) {
    word = Atomic(Locked.free)
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: initial)
  }

  deinit {
    // SAFETY: nobody borrows the value any more, so nobody holds the lock or the state.
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Runs `body` with the value, alone.
  ///
  /// Any thread. The body must not use the same lock, block, or call code of a user.
  @inlinable @inline(__always)
  package borrowing func withLock<Result: ~Copyable>(
    _ body: (inout State) -> Result
  ) -> Result {
    lock()
    defer { unlock() }
    // SAFETY: allocated in `init`, and the lock makes this the only access.
    return unsafe body(&state.pointee)
  }

  /// Runs `body` with the value; the caller has excluded every other thread by other means.
  @inlinable @inline(__always)
  package borrowing func withoutLock<Result: ~Copyable>(
    _ body: (inout State) -> Result
  ) -> Result {
    // SAFETY: allocated in `init`, and the caller makes this the only access.
    unsafe body(&state.pointee)
  }

  @usableFromInline static var free: UInt32 { 0 }
  @usableFromInline static var taken: UInt32 { 1 }
  /// Taken, and somebody may sleep.
  @usableFromInline static var contended: UInt32 { 2 }

  @inlinable @inline(__always) borrowing func lock() {
    // acquire, edge LockRelease; relaxed on failure: the slow path orders itself.
    let (won, _) = word.weakCompareExchange(
      expected: Locked.free, desired: Locked.taken,
      successOrdering: .acquiring, failureOrdering: .relaxed)
    if !won { lockSlowly() }
  }

  @inlinable @inline(__always) borrowing func unlock() {
    shim_keep_order()
    // release, edge LockRelease.
    if word.exchange(Locked.free, ordering: .releasing) == Locked.contended { wakeOne() }
  }

  @usableFromInline @inline(never) borrowing func lockSlowly() {
    for _ in 0..<Self.spins {
      shim_pause()
      // relaxed: a look before the ordered attempt.
      guard word.load(ordering: .relaxed) == Locked.free else { continue }
      // acquire, edge LockRelease; relaxed on failure: nothing was learnt.
      if word.weakCompareExchange(
        expected: Locked.free, desired: Locked.taken,
        successOrdering: .acquiring, failureOrdering: .relaxed
      ).exchanged {
        return
      }
    }
    // acquire, edge LockRelease. Takes the lock as contended: whoever slept cannot know whether it
    // was the last one.
    while word.exchange(Locked.contended, ordering: .acquiring) != Locked.free {
      // SAFETY: the word lives in place as long as `self`, which is borrowed for the whole call.
      _ = unsafe withUnsafePointer(to: word) {
        unsafe shim_futex_wait($0, Locked.contended, -1)
      }
    }
  }

  @usableFromInline @inline(never) borrowing func wakeOne() {
    // SAFETY: as in `lockSlowly`; a wake-up on an address that is no longer a lock would be
    // spurious, never unsafe.
    _ = unsafe withUnsafePointer(to: word) { unsafe shim_futex_wake($0, 1) }
  }

  /// Looks at a taken lock before sleeping.
  ///
  /// Critical sections are shorter than this on a running holder; a holder that lost its core costs
  /// one sleep.
  private static var spins: Int { 40 }
}
