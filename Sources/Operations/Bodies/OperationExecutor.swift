// SPDX-License-Identifier: Apache-2.0

import Scheduling

/// Runs the parts of one operation's task, from one suspension to the next, as jobs of the queue's
/// scheduler.
///
/// Between two parts nothing is queued and no worker is held. Child tasks and the default actors
/// that the task calls run here too; tasks that it creates without structure do not. Page:
/// Bodies.md.
final class OperationExecutor: TaskExecutor {
  private let operation: Operation
  /// Nil for an operation that was started by hand.
  private let queue: OperationQueue?
  private let scheduler: any Scheduler

  /// The executor of an operation whose `main()` runs on the calling thread.
  init(of operation: Operation) {
    self.operation = operation
    queue = operation.queueOfBody
    scheduler = queue?.scheduler ?? InlineScheduler()
  }

  /// Any thread: whoever resumes the task.
  func enqueue(_ job: consuming ExecutorJob) {
    let part = UnownedJob(job)
    scheduler.submit(JobChain(ClosureJob.make(band: operation.band) { self.run(part) }))
  }

  private func run(_ part: UnownedJob) {
    let record = ThreadRecord.current
    let outerExecutor = record.executorOfPart
    record.executorOfPart = self
    operation.runPart(queue, record) { unsafe part.runSynchronously(on: asUnownedTaskExecutor()) }
    record.executorOfPart = outerExecutor
  }
}

extension Operation {
  /// The queue that runs the operation on this thread; nil when it was started by hand, or `main()`
  /// is called by somebody else.
  ///
  /// In `main()` or `skipBody()` only: the thread that runs them keeps the queue.
  final var queueOfBody: OperationQueue? {
    guard isSubmitted else { return nil }
    return ThreadRecord.withCurrent { record in
      guard record.currentOperation == word else { return nil }
      // SAFETY: the run of this operation has put its queue there and keeps it.
      return unsafe OperationQueue.reference(record.currentQueue).takeUnretainedValue()
    }
  }

  /// Runs `body` as a task that is cancelled when the operation is (contract 72).
  ///
  /// In `main()` only. The task inherits nothing from the thread that happens to start the
  /// operation.
  final func runTask(_ body: @escaping @Sendable () async -> Void) {
    let task = Task.detached(
      executorPreference: OperationExecutor(of: self), priority: taskPriority, operation: body)
    withColdTableMade { $0.task = task }
    // A cancellation before the store has found no task, one after it finds it.
    if isMarkedCancelled { task.cancel() }
    if isSealed { dropTask() }
  }

  /// The task that runs the body, if there is one, hears that the operation was cancelled, if it
  /// was: also when the body is skipped that somebody has begun by calling `main()`.
  final func cancelTask() {
    if isMarkedCancelled { (withColdTable { $0.task } ?? nil)?.cancel() }
  }

  /// The body has ended: the task's memory need not last as long as the operation's.
  final func dropTask() { _ = withColdTable { $0.task.take() } }

  /// The numbers of the levels are those of the priorities of tasks.
  private final var taskPriority: TaskPriority? {
    UInt8(exactly: storedQualityOfService.rawValue).map { TaskPriority(rawValue: $0) }
  }
}
