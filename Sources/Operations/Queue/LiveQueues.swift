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
  ///
  /// One queue at a time, and each pin is given up without the lock: what waited for the last one
  /// may run inside of that call on the inline scheduler, and look at the queues itself.
  static func withMembers() -> [OperationQueue] {
    words.withLock { Array($0) }.compactMap { word in
      var backoff = Backoff()
      while true {
        switch words.withLock({ $0.contains(word) ? pin(word) : .empty }) {
        case .empty: return nil
        case .full: backoff.wait()
        case .pinned:
          // SAFETY: `pinIfBusy` retained it.
          let queue = unsafe OperationQueue.reference(word).takeRetainedValue()
          queue.unpin()
          return queue
        }
      }
    }
  }

  /// Pins a queue of the list; under the lock.
  private static func pin(_ word: UInt) -> PinOutcome {
    // SAFETY: the queue's deinit waits for this lock before anything of it goes.
    unsafe OperationQueue.reference(word)._withUnsafeGuaranteedRef { $0.pinIfBusy() }
  }
}

extension OperationQueue {
  /// Adds a pin and a reference if there are members; the caller takes both back.
  fileprivate func pinIfBusy() -> PinOutcome {
    var old = count.word.load(ordering: .relaxed)  // relaxed: the exchange validates it.
    while MemberCount.outstanding(old) > 0 {
      if MemberCount.pins(old) == MemberCount.mostPins { return .full }
      // acquire and release, edge Counted.
      let (won, seen) = count.word.weakCompareExchange(
        expected: old, desired: old + MemberCount.pin, successOrdering: .acquiringAndReleasing,
        failureOrdering: .relaxed)
      if won {
        unsafe _ = Unmanaged.passRetained(self)
        return .pinned
      }
      old = seen
    }
    return .empty
  }
}

/// What became of an attempt to pin a queue.
private enum PinOutcome {
  case pinned
  /// It has no members.
  case empty
  /// It has as many pins as there may be.
  case full
}
