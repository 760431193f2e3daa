// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// Wakes threads and resumes tasks that wait for a queue to become empty.
@safe struct IdleGate: ~Copyable {
  /// How often the queue has become empty with somebody waiting.
  let epoch = Futex()
  /// Threads and tasks between the beginning and the end of their wait.
  let waiting = Locked(0)
  /// Tasks to be resumed when the queue becomes empty.
  let suspended = Locked<[CheckedContinuation<Void, Never>]>([])

  /// The queue is empty.
  borrowing func open() {
    epoch.word.value.wrappingAdd(1, ordering: .releasing)  // release, edge Opened
    epoch.wake(Int(Int32.max))
    resumeTasks()
  }

  /// Resumes the tasks that are suspended now.
  borrowing func resumeTasks() {
    for task in suspended.withLock({ exchange(&$0, with: []) }) { task.resume() }
  }
}

extension OperationQueue {
  /// As `waitUntilAllOperationsAreFinished()`, at most for `timeout`; false when the time was up
  /// first.
  @available(*, noasync, message: "blocks the thread; use await finished() on the queue")
  public func wait(timeout: Duration) -> Bool {
    waitUntilEmpty(by: MonotonicTime.deadline(after: timeout))
  }

  /// Implements `waitUntilAllOperationsAreFinished()` and its twin with a deadline.
  func waitUntilEmpty(by deadline: UInt64?) -> Bool {
    let record = ThreadRecord.current
    record.prepareToWait()
    if isEmptyForGood { return true }
    if deadline == nil { stopIfWaitedForByMember(record.enclosures, .blocking) }
    return record.wait(
      for: .queue(self), until: deadline, runAlone: { runAlone(record, for: $0) },
      sleep: { sleepUntilEmpty(until: $0) })
  }

  /// Returns when the queue has no operations, as `waitUntilAllOperationsAreFinished()` does
  /// (contract 102, 103).
  ///
  /// Suspends the caller and blocks no thread. Cancelling the caller's task does not end the wait:
  /// `cancelAllOperations()` does as soon as what executes has ended. Inside the task of the body
  /// of one of the queue's operations it stops the process.
  public final func finished() async {
    stopIfWaitedForByMember(ThreadRecord.current.enclosuresOfTask, .suspending)
    ThreadRecord.withCurrent { $0.settleCredit() }
    if isEmptyForGood { return }
    idleGate.waiting.withLock { $0 += 1 }
    changeTaskWaits(by: 1)
    repeat {
      await withCheckedContinuation { task in
        idleGate.suspended.withLock { $0.append(task) }
        // From here on every worker sees the flag or its credit is found: nobody looks after what
        // is held back later.
        AsymmetricBarrier.heavy()
        if isEmptyOrTellsWaiters() { return idleGate.resumeTasks() }
        ThreadRecord.collectCredits(of: self)
      }
      // Told late, by whoever emptied the queue before this wait began; or there are new ones.
    } while !isEmptyForGood
    changeTaskWaits(by: -1)
    endWait()
  }

  private func changeTaskWaits(by difference: Int) {
    control.withLock { control in
      control.waitingTasks += difference
      setCreditFlag(control)
    }
  }

  /// Workers hold credits back unless a barrier, a task or, all the time, the owner of an inner
  /// queue waits.
  ///
  /// Under `control`.
  func setCreditFlag(_ control: QueueControl) {
    creditFlag.set(role.whenEmpty != nil || !control.barriers.isEmpty || control.waitingTasks > 0)
  }

  /// As for an operation: runs one of the members, or what they cannot finish without.
  private func runAlone(_ record: ThreadRecord, for schedulers: [SchedulerIdentity]) -> Bool {
    guard schedulers.contains(threadsIdentity) else { return false }
    return membersForDiagnosis().contains { $0.runAlone(record, for: schedulers) }
  }

  /// Empty, with everything that the members wrote visible.
  var isEmptyForGood: Bool {
    // acquire, edge Counted: pairs with the subtractions.
    MemberCount.members(count.word.load(ordering: .acquiring)) == 0
  }

  private func sleepUntilEmpty(until deadline: UInt64?) -> Bool {
    idleGate.waiting.withLock { $0 += 1 }
    defer { endWait() }
    var interval = Self.shortestLook
    while true {
      // acquire, edge Opened: pairs with `open`.
      let epoch = idleGate.epoch.word.value.load(ordering: .acquiring)
      if isEmptyOrTellsWaiters() { return true }
      // Workers hold credits back while they run operations of this queue, and cannot know when a
      // job is none.
      ThreadRecord.collectCredits(of: self)
      let now = MonotonicTime.nanoseconds()
      if let deadline, now >= deadline { return isEmptyForGood }
      let look = now + interval
      interval = min(2 * interval, Self.longestLook)
      _ = idleGate.epoch.wait(while: epoch, until: min(deadline ?? look, look))
    }
  }

  /// Whether the queue is empty; if not, whoever empties it tells those who wait.
  private func isEmptyOrTellsWaiters() -> Bool {
    idleGate.waiting.withLock { _ in
      // acquire and release, edge Counted: a subtraction to zero before it is seen here, one after
      // it sees the flag.
      let word = count.word.bitwiseOr(MemberCount.waiters, ordering: .acquiringAndReleasing)
      return MemberCount.members(word.newValue) == 0
    }
  }

  /// A thread or a task waits no more.
  private func endWait() {
    idleGate.waiting.withLock { left in
      left -= 1
      // acquire and release, edge Counted: the flag belongs to the count's word.
      if left == 0, role.whenEmpty == nil {
        count.word.bitwiseAnd(~MemberCount.waiters, ordering: .acquiringAndReleasing)
      }
    }
  }

  /// Times between the looks of a waiting thread at credits that workers hold back, ns.
  private static var shortestLook: UInt64 { 2_000_000 }
  private static var longestLook: UInt64 { 64_000_000 }
}
