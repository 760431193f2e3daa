// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// Every queue of the process, touched when one is made and when one ends; keeps none of them.
enum LiveQueues {
  private static let words = Locked<Set<UInt>>([])

  /// A queue was made.
  static func insert(_ queue: UInt) { words.withLock { _ = $0.insert(queue) } }

  /// A queue ends; returns when nobody looks at it any more.
  static func remove(_ queue: UInt) { words.withLock { _ = $0.remove(queue) } }

  /// The queues that have members.
  ///
  /// Under the lock no queue of the list can end, but it may be about to: only one that has members
  /// may be kept, since it holds a reference to itself. A pin makes sure that it still has.
  static func withMembers() -> [OperationQueue] {
    let found = words.withLock { words in
      words.filter { word in
        // SAFETY: the queue's deinit waits for this lock before anything of it goes.
        unsafe OperationQueue.reference(word)._withUnsafeGuaranteedRef { $0.pinIfBusy() }
      }
    }
    return found.map { word in
      // SAFETY: `pinIfBusy` retained it.
      let queue = unsafe OperationQueue.reference(word).takeRetainedValue()
      queue.unpin()
      return queue
    }
  }
}

extension OperationQueue {
  /// Adds a pin and a reference if there are members; the caller takes both back.
  ///
  /// Fifteen pins are the most: one more waits, under the lock, for the end of another, which needs
  /// no lock.
  fileprivate func pinIfBusy() -> Bool {
    var old = count.word.load(ordering: .relaxed)  // relaxed: the exchange validates it.
    var backoff = Backoff()
    while MemberCount.outstanding(old) > 0 {
      if MemberCount.pins(old) == MemberCount.mostPins {
        backoff.wait()
        old = count.word.load(ordering: .relaxed)  // relaxed: as above
        continue
      }
      // acquire and release, edge Counted.
      let (won, seen) = count.word.weakCompareExchange(
        expected: old, desired: old + MemberCount.pin, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed)
      if won {
        unsafe _ = Unmanaged.passRetained(self)
        return true
      }
      old = seen
    }
    return false
  }
}
