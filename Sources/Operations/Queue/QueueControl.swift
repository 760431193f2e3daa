// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// What changes of a queue's policy hold in common; under `OperationQueue.control`.
struct QueueControl: Sendable {
  /// The limit as set; −1 means that the scheduler decides.
  var limit = OperationQueue.defaultMaxConcurrentOperationCount
  /// Barriers that have not finished, oldest first.
  var barriers: [PendingBarrier] = []
}

extension OperationQueue {
  // MARK: Limit

  /// How many operations may execute at a time; −1, the default, lets the scheduler decide; 0 starts nothing.
  ///
  /// Lowering it interrupts nothing: once the setter has returned, no start exceeds the new limit. Raising it starts
  /// more at once (contract 111, 112). Other negative values stop the process.
  public var maxConcurrentOperationCount: Int {
    get { control.withLock { $0.limit } }
    set {
      guard !isFixed else { return }
      guard newValue >= Self.defaultMaxConcurrentOperationCount else {
        Fault.badLimit(self, newValue)
      }
      let isFinite = newValue >= 0 && newValue <= PolicyWord.largestLimit
      let limit = isFinite ? UInt64(newValue) : PolicyWord.unlimited
      let drains = control.withLock { control in
        let drains = changeLimit(to: limit)
        control.limit = newValue
        return drains
      }
      submitDrains(drains)
    }
  }

  /// Under `control`. Returns how many drains to submit.
  private func changeLimit(to limit: UInt64) -> Int {
    // relaxed: limits change only under `control`.
    let wasUnlimited = PolicyWord.isUnlimited(policy.load(ordering: .relaxed))
    let isUnlimited = limit == PolicyWord.unlimited
    var counted: UInt64 = 0
    if wasUnlimited, !isUnlimited {
      // Limit 0 starts nothing while the operations that run in fast mode are counted.
      changePolicy { $0 = PolicyWord.withLimit($0, 0) & ~PolicyWord.fast }
      AsymmetricBarrier.heavy()
      counted = countFastStarts()
    } else if !wasUnlimited, isUnlimited {
      counted = forgetFastStarts()
    }
    var drains = 0
    let burst = self.burst
    changePolicy { word in
      if wasUnlimited, !isUnlimited { word += counted * PolicyWord.oneRunning }
      if !wasUnlimited, isUnlimited { word -= counted * PolicyWord.oneRunning }
      word = PolicyWord.withLimit(word, limit)
      drains = Self.startOrOpen(&word, burst: burst)
    }
    return drains
  }

  /// Drains to start at once when a queue is resumed or its limit lifted; each finds its own work from then on.
  private var burst: UInt64 { UInt64(scheduler.workerCount) + 64 }

  private static func startOrOpen(_ word: inout UInt64, burst: UInt64) -> Int {
    let mayBeFast =
      PolicyWord.isUnlimited(word) && word & PolicyWord.suspended == 0
      && PolicyWord.ready(word) == 0
    if mayBeFast {
      word |= PolicyWord.fast
      return 0
    }
    return PolicyWord.startMore(&word, burst: burst)
  }

  /// Counts the operations of this queue that run in fast mode.
  private func countFastStarts() -> UInt64 {
    var found: UInt64 = 0
    ThreadRecord.forEach { record in
      for level in 0..<ThreadRecord.depthLimit {
        // sequentially consistent, edge StartGate: after the heavy barrier, or in the order of such operations.
        let entry = unsafe record.entries[level].load(ordering: .sequentiallyConsistent)
        guard entry == word else { continue }
        // relaxed: under `control`, as every access for this queue.
        unsafe record.counted[level].store(word, ordering: .relaxed)
        found += 1
      }
    }
    return found
  }

  /// Forgets what `countFastStarts` counted and what is still running.
  private func forgetFastStarts() -> UInt64 {
    var found: UInt64 = 0
    ThreadRecord.forEach { record in
      for level in 0..<ThreadRecord.depthLimit {
        // relaxed: under `control`. Whether the entry is still set does not matter: a thread that has cleared it may
        // find the queue fast again and then gives nothing back.
        guard unsafe record.counted[level].load(ordering: .relaxed) == word else { continue }
        unsafe record.counted[level].store(0, ordering: .relaxed)  // relaxed: as above
        found += 1
      }
    }
    return found
  }

  // MARK: Suspension

  /// While true no operation starts; running ones go on; adding, cancelling and editing stay legal (contract 115).
  ///
  /// No start is claimed after the setter has returned; at most as many operations as were running then may still be
  /// about to enter their bodies.
  public var isSuspended: Bool {
    get { isSuspendedNow }
    set {
      guard !isFixed else { return }
      let drains = control.withLock { _ in
        newValue ? suspend() : resume()
      }
      guard !newValue else { return }
      scheduler.submitUnlessEmpty(readyList.takeDeferred())
      submitDrains(drains)
    }
  }

  private func suspend() -> Int {
    changePolicy { $0 = ($0 & ~PolicyWord.fast) | PolicyWord.suspended }
    AsymmetricBarrier.heavy()
    return 0
  }

  private func resume() -> Int {
    var drains = 0
    let burst = self.burst
    changePolicy { word in
      word &= ~PolicyWord.suspended
      drains = Self.startOrOpen(&word, burst: burst)
    }
    return drains
  }
}

extension Scheduler {
  /// Submits a chain if it has jobs.
  func submitUnlessEmpty(_ jobs: consuming JobChain) {
    if !jobs.isEmpty { submit(jobs) }
  }
}
