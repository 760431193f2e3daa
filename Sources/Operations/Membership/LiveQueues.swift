// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives

/// Every queue of the process, touched when one is made and when one ends; keeps none of them.
enum LiveQueues {
  private static let words = Locked<Set<UInt>>([])

  /// A queue was made.
  static func insert(_ queue: UInt) {
    words.withLock { _ = $0.insert(queue) }
    if isRecording { OperationQueue.recordQueue(queue) }
  }

  /// A queue ends; returns when nobody looks at it any more.
  static func remove(_ queue: UInt) { words.withLock { _ = $0.remove(queue) } }

  /// The queues that there are.
  ///
  /// Under the lock no queue of the list is gone, but it may be ending, and then stays out. Every
  /// other is retained there and given up without the lock, since that may be the end of it.
  static func all() -> [OperationQueue] {
    words.withLock { Array($0) }
      .compactMap { word in words.withLock { $0.contains(word) ? retained(word) : nil } }
  }

  /// The queue at `word` unless it is ending; under the lock.
  private static func retained(_ word: UInt) -> OperationQueue? {
    // The deinit waits for the lock before anything of the queue goes. A plain retain would let the
    // release that follows it end the queue under the lock, which its deinit wants.
    guard shim_retain_unless_ending(word) != 0 else { return nil }
    // SAFETY: it was just retained.
    return unsafe OperationQueue.reference(word).takeRetainedValue()
  }
}
