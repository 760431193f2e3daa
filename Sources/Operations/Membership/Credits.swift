// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

// A departure from a queue is a credit in the worker's record, subtracted from the queue's count in
// batches. Only the owner earns; the owner and whoever waits for the queue may take. Protocol:
// Queue.md, "Counting"; model: Tests/Models/credits.pml.

extension ThreadRecord {
  /// Notes that an operation of `queue` has left.
  ///
  /// The subtraction is held back for as long as this worker runs operations of the same queue:
  /// whoever waits for the queue waits for those anyway. A waiter looks from time to time; a
  /// pending barrier has credits subtracted at once.
  @inline(__always)
  func credit(_ queue: OperationQueue, _ context: UnsafeMutablePointer<WorkerContext>) {
    let word = queue.word
    // relaxed: only this thread changes the field.
    if creditQueue.load(ordering: .relaxed) != word {
      settleCredit()
      // release, edge CreditTaken: after the step of `taken` that ended the last queue's credits.
      creditQueue.store(word, ordering: .releasing)
      unsafe context.pointee.idle = settleCreditsOfThisThread
    }
    // The queue may be gone once the credit can be taken.
    let flag = queue.creditFlag
    let count = earned.load(ordering: .relaxed) &+ 1  // relaxed: only this thread changes it.
    // release, edge CreditTaken: whoever takes the credit knows its queue and has what the
    // operation wrote.
    earned.store(count, ordering: .releasing)
    AsymmetricBarrier.light()
    // relaxed: a credit that somebody takes meanwhile is not taken twice.
    let held = count &- taken.load(ordering: .relaxed)
    if held >= OperationQueue.creditBatch || flag.isSet { settleCredit() }
  }

  /// Subtracts the held-back credits from their queue; owner only.
  @inline(never) func settleCredit() {
    let word = creditQueue.load(ordering: .relaxed)  // relaxed: only this thread changes it.
    guard word != 0 else { return }
    let count = earned.load(ordering: .relaxed)  // relaxed: as above
    // acquire and release, edge CreditTaken: a credit is taken by one side.
    let held = count &- taken.exchange(count, ordering: .acquiringAndReleasing)
    creditQueue.store(0, ordering: .releasing)  // release, edge CreditTaken
    guard held > 0 else { return }
    // SAFETY: the operations that were not yet subtracted keep the queue alive.
    unsafe OperationQueue.reference(word)._withUnsafeGuaranteedRef { $0.subtract(Int(held)) }
  }

  /// Subtracts credits of other queues before an operation of `word` may run for long.
  @inline(__always) func settleCredit(unlessOf word: UInt) {
    let held = creditQueue.load(ordering: .relaxed)  // relaxed: own field
    if held != 0, held != word { settleCredit() }
  }

  /// Credits of the queue at `word` that are held back now; any thread, a snapshot.
  func heldCredits(of word: UInt) -> Int {
    // acquire, edge CreditTaken: `taken` first, so that it is not ahead of `earned`.
    let before = taken.load(ordering: .acquiring)
    let count = earned.load(ordering: .acquiring)
    guard creditQueue.load(ordering: .acquiring) == word else { return 0 }
    // Taken meanwhile, they may be another queue's, which the worker has left since.
    // relaxed: after those.
    guard taken.load(ordering: .relaxed) == before else { return 0 }
    return Int(count &- before)
  }

  /// Takes the credits of the queue at `word` that are held back here, for the caller to subtract;
  /// any thread.
  private func takeCredits(of word: UInt) -> Int {
    while true {
      // acquire, all, edge CreditTaken, in this order: credits that are in `count` and not in
      // `before` belong to the queue that is read afterwards, or the exchange fails, since they
      // were taken before their queue changed.
      let before = taken.load(ordering: .acquiring)
      let count = earned.load(ordering: .acquiring)
      guard creditQueue.load(ordering: .acquiring) == word else { return 0 }
      let held = count &- before
      guard held > 0 else { return 0 }
      // acquire and release, edge CreditTaken.
      let (won, _) = taken.compareExchange(
        expected: before, desired: count, ordering: .acquiringAndReleasing)
      if won { return Int(held) }
    }
  }

  /// Subtracts what workers hold back of `queue`, which the caller keeps.
  ///
  /// A worker may run a job that is no operation for as long as it likes.
  static func collectCredits(of queue: OperationQueue) {
    var found = 0
    forEach { found += $0.takeCredits(of: queue.word) }
    if found > 0 { queue.subtract(found) }
  }
}

/// The `idle` function of worker contexts.
private func settleCreditsOfThisThread(_ context: UnsafeMutableRawPointer) {
  ThreadRecord.withCurrent { $0.settleCredit() }
}

/// Tells workers to hold no credits of a queue back.
///
/// In memory that is never freed: a worker looks at it once more when its credit may already have
/// been taken, which may have been the last thing that kept the queue. Flags go from queue to
/// queue; a worker that reads another queue's flag subtracts a credit too early or finds none left.
@safe struct CreditFlag: Sendable {
  private let address: UInt
  private static let free = Locked<[UInt]>([])

  /// A flag that is not set.
  init() {
    address = Self.free.withLock { $0.popLast() } ?? AlignedMemory.allocate(byteCount: 8)
    set(false)
  }

  /// For the next queue.
  func giveBack() {
    set(false)
    Self.free.withLock { $0.append(address) }
  }

  private var cell: UnsafeMutablePointer<Atomic<Bool>> {
    // SAFETY: the address is that of eight bytes of zeros, made in `init`, which are a cleared
    // flag; never freed.
    unsafe .at(address)
  }

  @inline(__always) var isSet: Bool {
    // relaxed: the heavy barrier of whoever sets it orders it with the credit stored before; of a
    // clearing nothing depends on when it is seen.
    unsafe cell.pointee.load(ordering: .relaxed)
  }

  func set(_ isSet: Bool) {
    // relaxed: under the queue's `control`, or nobody else has the queue. After it is set the heavy
    // barrier follows. After it is cleared none does: a worker that still sees it set returns its
    // credit at once, which is right at any time.
    unsafe cell.pointee.store(isSet, ordering: .relaxed)
  }
}
