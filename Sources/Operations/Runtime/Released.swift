// SPDX-License-Identifier: Apache-2.0

import Scheduling

/// What a walk over a sealed list leaves to do.
struct Released {
  /// Jobs for other queues' policies or other schedulers, oldest first.
  var others = JobChain()
  /// List of waiters and probes.
  var waiters: UInt = 0

  /// Hands over the jobs that other threads run; those that would run inside this call stay in
  /// `others`.
  ///
  /// The finisher hands those over last, with `handOver(last:)`: whichever thread makes an
  /// operation startable on a scheduler without threads runs it when it has done everything else.
  /// In a job of that scheduler they are only queued.
  mutating func handOver(from context: UnsafeMutablePointer<WorkerContext>) {
    let isWorker = unsafe context.pointee.worker >= 0
    let scheduler = unsafe context.pointee.scheduler
    others = Self.handOver(others.take()) { queue in
      queue.runsInPlace && !(isWorker && queue.identity == scheduler)
    }
  }

  /// Tells who observes what waited; he may wait for what comes last.
  mutating func tellProbes(_ record: ThreadRecord) {
    others = record.owing(others.take()) { WaiterList.tellProbes(waiters) }
  }

  /// Hands over handles, and drains with their slots, but for those that `comeLast`, by their
  /// queue.
  ///
  /// Returns these.
  static func handOver(
    _ jobs: JobChain, butFor comeLast: (OperationQueue) -> Bool
  ) -> JobChain {
    var last = JobChain()
    forEachQueue(jobs) { queue, jobs in
      if comeLast(queue) { last.append(jobs) } else { queue.acceptHandles(jobs) }
    }
    return last
  }

  /// Hands over what was left to come last.
  @inline(never) static func handOver(last jobs: JobChain) {
    forEachQueue(jobs) { queue, jobs in queue.acceptHandles(jobs) }
  }

  /// The jobs linked from `first` on.
  @inline(never) static func chain(from first: Job?) -> JobChain {
    var jobs = JobChain()
    var next = first
    while let job = next {
      next = job.next
      jobs.append(job)
    }
    return jobs
  }

  /// Calls `body` once for every queue, kept, that has some of the jobs, with all of these in their
  /// order: they reach the queue in one step, so that none of them starts before a more urgent one
  /// is there (contract 85).
  ///
  /// What runs inside of `body` may wait for the jobs of the next queues.
  private static func forEachQueue(
    _ jobs: consuming JobChain, _ body: (OperationQueue, JobChain) -> Void
  ) {
    guard let first = jobs.first else { return }
    let word = queueWord(first)
    var group = JobChain()
    var others: [UInt: JobChain] = [:]
    var order: [UInt] = []
    while let job = jobs.popFirst() {
      let queue = queueWord(job)
      if queue == word {
        group.append(job)
      } else {
        if others[queue] == nil { order.append(queue) }
        others[queue, default: JobChain()].append(job)
      }
    }
    var rest = JobChain()
    for queue in order { if let group = others[queue] { rest.append(group) } }
    var next = word
    while true {
      rest = ThreadRecord.withCurrent { $0.owing(rest) { give(group, next, body) } }
      guard let first = rest.first else { return }
      next = queueWord(first)
      group = JobChain()
      while let job = rest.first, queueWord(job) == next, let job = rest.popFirst() {
        group.append(job)
      }
    }
  }

  private static func give(
    _ jobs: JobChain, _ queue: UInt, _ body: (OperationQueue, JobChain) -> Void
  ) {
    // SAFETY: handles and drains keep the queue; kept here, since they may have run before the call
    // returns.
    let kept = unsafe OperationQueue.reference(queue).retain()
    unsafe kept._withUnsafeGuaranteedRef { body($0, jobs) }
    unsafe kept.release()
  }

  private static func queueWord(_ job: Job) -> UInt {
    if let queue = Drain.queue(of: job) { return queue }
    // SAFETY: whoever holds the job holds a handle, which keeps the operation a member.
    return unsafe Operation.reference(Operation.word(behind: job))._withUnsafeGuaranteedRef {
      unsafe UInt(bitPattern: $0.queueReference.toOpaque())
    }
  }
}
