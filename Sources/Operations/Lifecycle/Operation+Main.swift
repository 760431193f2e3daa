// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Operation {
  /// What the built-in `start()` does once the operation has begun.
  ///
  /// `queue` is the address of the queue that counts it, or 0.
  @inline(__always) final func runMain(countedBy queue: UInt) {
    // relaxed: this thread's own `begin` read the word with acquire.
    let bits = state.load(ordering: .relaxed)
    guard bits & (StateBit.skipped | StateBit.asynchronous) == 0 else {
      return runUnusualMain(isSkipped: bits & StateBit.skipped != 0)
    }
    // Before, for what finishes and leaves inside; and after, when somebody has begun to count
    // meanwhile.
    let isCounted = OperationQueue.hasExtras(at: queue)
    if isCounted { _ = changeState(StateChange.enterMain) }
    if bits & StateBit.builtIn != 0 { runBody() } else { main() }
    if !isCounted, OperationQueue.hasExtras(at: queue) { _ = changeState(StateChange.enterMain) }
  }

  /// Skips `main()`, or runs that of an asynchronous class, which is told of a cancellation once it
  /// has begun.
  @inline(never) private final func runUnusualMain(isSkipped: Bool) {
    // Finished since it began: by an observer, or by whoever passed a result in.
    if isSkipped || isSealed { return skipBody() }
    // acquire and release, edge MainBegun: one step, before or after that of `markCancelled`; who
    // made that one calls the hook only if this one was first.
    let before = changeState(StateChange.enterMain)
    main()
    if before & StateBit.cancelled != 0, !isSealed { cancelledWhileExecuting() }
  }

  /// Not whoever has called `start()` or `skipBody()` finishes it when that has returned.
  final var endsItself: Bool {
    // acquire, edge EditLock: a fan sets the bit in `main()`.
    state.load(ordering: .acquiring) & StateBit.endsItself != 0
  }
}
