// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// Wakes threads that wait for a queue to become empty.
@safe struct IdleGate: ~Copyable {
  private let epoch = Futex()
  private let waiting = Locked(0)

  /// How often the queue has become empty with somebody waiting.
  borrowing func currentEpoch() -> UInt32 {
    epoch.word.value.load(ordering: .acquiring)  // acquire, edge Opened: pairs with `open`
  }

  /// The queue is empty.
  borrowing func open() {
    epoch.word.value.wrappingAdd(1, ordering: .releasing)  // release, edge Opened
    epoch.wake(Int(Int32.max))
  }

  /// Sleeps until `open()` after `seen` was read; false when the deadline has passed.
  borrowing func sleep(since seen: UInt32, until deadline: UInt64?) -> Bool {
    epoch.wait(while: seen, until: deadline)
  }

  /// Changes the number of waiting threads under a lock and calls `body` with the new number.
  borrowing func changeWaiting(by difference: Int, _ body: (Int) -> Void) {
    waiting.withLock { count in
      count += difference
      body(count)
    }
  }
}

extension OperationQueue {
  /// Implements `waitUntilAllOperationsAreFinished()`.
  func waitUntilEmpty() {
    let record = ThreadRecord.current
    record.prepareToWait()
    if isEmptyForGood { return }
    stopIfWaitedForByMember(record.enclosures)
    _ = waitUntilEmpty(record, until: nil)
  }

  /// As `waitUntilAllOperationsAreFinished()`, at most for `timeout`; false when the time was up first.
  @available(*, noasync, message: "blocks the thread; use addBarrierBlock")
  public func wait(timeout: Duration) -> Bool {
    waitUntilEmpty(ThreadRecord.current, until: MonotonicTime.deadline(after: timeout))
  }

  private func waitUntilEmpty(_ record: ThreadRecord, until deadline: UInt64?) -> Bool {
    record.prepareToWait()
    if count.outstanding == 0, isEmptyForGood { return true }
    let awaited = ThreadRecord.Awaited(name: stockName, kind: "queue") { self.isEmptyForGood }
    return record.wait(for: awaited, until: deadline) { sleepUntilEmpty(until: deadline) }
  }

  /// Empty, with everything that the members wrote visible.
  private var isEmptyForGood: Bool {
    // acquire, edge Counted: pairs with the subtractions.
    MemberCount.outstanding(count.word.load(ordering: .acquiring)) == 0
  }

  private func sleepUntilEmpty(until deadline: UInt64?) -> Bool {
    idleGate.changeWaiting(by: 1) { _ in }
    defer {
      idleGate.changeWaiting(by: -1) { left in
        // release, edge Counted: the flag belongs to the count's word.
        if left == 0, whenEmpty == nil {
          count.word.bitwiseAnd(~MemberCount.waiters, ordering: .acquiringAndReleasing)
        }
      }
    }
    var interval = Self.shortestLook
    while true {
      let epoch = idleGate.currentEpoch()
      var word: UInt64 = 0
      idleGate.changeWaiting(by: 0) { _ in
        // acquire and release, edge Counted: a subtraction to zero before it is seen here, one after it sees the flag.
        word = count.word.bitwiseOr(MemberCount.waiters, ordering: .acquiringAndReleasing).newValue
      }
      if MemberCount.outstanding(word) == 0 { return true }
      // Workers hold credits back while they run operations of this queue, and cannot know when a job is none.
      ThreadRecord.collectCredits(of: self)
      let now = MonotonicTime.nanoseconds()
      if let deadline, now >= deadline { return isEmptyForGood }
      let look = now + interval
      interval = min(2 * interval, Self.longestLook)
      _ = idleGate.sleep(since: epoch, until: min(deadline ?? look, look))
    }
  }

  /// Times between the looks of a waiting thread at credits that workers hold back, ns.
  private static var shortestLook: UInt64 { 2_000_000 }
  private static var longestLook: UInt64 { 64_000_000 }
}
