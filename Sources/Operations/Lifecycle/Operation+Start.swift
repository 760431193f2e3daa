// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How far an operation has come when `start()` has returned.
enum StartOutcome {
  /// Its body has ended: the caller finishes it.
  case ended
  /// It was finished inside, on this thread: the caller does what is left.
  case finishedInside
  /// It goes on, or another thread has finished it.
  case goesOn
}

extension Operation {
  /// Runs a begun operation on this thread, whoever has begun it: `start()` with what comes before
  /// it, or what is called when the body is skipped.
  ///
  /// The caller has entered its level.
  /// - Parameters:
  ///   - kinds: the state word as of the beginning.
  ///   - queue: nil after a start by hand.
  ///   - isInStart: the built-in `start()` is what has called this.
  @inline(__always) final func runStart(
    _ kinds: UInt32, _ queue: OperationQueue?, _ worker: @autoclosure () -> Int,
    _ record: ThreadRecord, isInStart: Bool = false
  ) -> StartOutcome {
    // Who is told of the start may finish the operation: that leaves the rest to the caller as
    // well.
    record.stage = .starting
    let skipsBody = kinds & StateBit.skipped != 0
    if kinds & StateBit.coldStart != 0 { passInResults(unlessSkipped: skipsBody) }
    if kinds & StateBit.hasExtras != 0 {
      if let queue { traceBegin(queue, worker()) }
      deliverTransitions()
    }
    var builtInStartRan = true
    if kinds & StateBit.finishRequested != 0 {
      // What `start()` would do is over. Another `finish()` may end the operation meanwhile.
      if let queue { Warning.finishedBeforeStart(self, queue) }
      skipBody()
    } else if kinds & (StateBit.hasExtras | StateBit.skipped) == StateBit.hasExtras {
      builtInStartRan = atRequestedService(queue) { callStart(record, isInStart: isInStart) }
    } else {
      builtInStartRan = callStart(record, isInStart: isInStart)
    }
    if record.returnsFinished() { return .finishedInside }
    if kinds & StateBit.finishRequested != 0 { return .ended }
    if kinds & StateBit.asynchronous != 0 {
      return skipsBody && !endsItself ? .ended : .goesOn
    }
    if builtInStartRan, !endsItself { return .ended }
    return !isSealed && isFinished ? .ended : .goesOn
  }

  /// Calls `start()`, which a class may override; returns whether that came to the built-in one.
  @inline(__always) private final func callStart(
    _ record: ThreadRecord, isInStart: Bool
  ) -> Bool {
    if isInStart {
      runMain(countedBy: 0)
      return true
    }
    let outer = record.startingOperation
    record.startingOperation = word
    start()
    defer { record.startingOperation = outer }
    return record.startingOperation != word
  }

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
