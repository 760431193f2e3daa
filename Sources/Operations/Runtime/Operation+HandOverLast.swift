// SPDX-License-Identifier: Apache-2.0

import Scheduling

// What a worker hands over when it has done everything else for an operation.

extension Operation {
  /// Hands over jobs that run on this thread, a worker of the queue, before the call returns.
  ///
  /// The caller keeps operation and queue, and nothing that these jobs may wait for.
  final func handOverLast(_ jobs: JobChain, _ queue: OperationQueue, _ record: ThreadRecord) {
    guard !jobs.isEmpty else { return }
    record.flushCredit()
    // What runs now occupies this worker: its waits are waits of this queue's scheduler.
    let outer = record.enter(
      ThreadRecord.Level(operation: word, queue: queue.word, stage: .ended))
    Released.handOver(last: jobs)
    record.leave(outer)
  }

  /// As `handOverLast`, for a handle that has not begun the operation.
  ///
  /// The slot that its drain has goes before.
  final func handOverLast(
    _ jobs: JobChain, _ gate: StartGate, _ queue: OperationQueue, _ record: ThreadRecord
  ) {
    guard !jobs.isEmpty else { return }
    if gate == .slot, !record.slotIsGone { giveUpSlot(gate, queue, record) }
    handOverLast(jobs, queue, record)
  }
}
