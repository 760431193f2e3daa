// SPDX-License-Identifier: Apache-2.0

public import Dispatch
internal import DispatchBackend
internal import WorkStealingBackend

/// The scheduler of every queue that names none, with as many workers as the process may use CPUs;
/// its threads start with the first such queue.
enum ProcessWide {
  static let scheduler = WorkStealingScheduler(
    workers: ProcessInfo.processInfo.activeProcessorCount)
}

extension OperationQueue {
  /// The dispatch queue that the operations run on, or nil when they run on the queue's scheduler.
  ///
  /// Set it while the queue is empty: operations that are added afterwards run on that dispatch
  /// queue, as many at a time as the scheduler has workers, or one if it is serial. Nil moves the
  /// queue back to the scheduler that it was made with. While it is away `scheduler` is the one
  /// that hands the operations to the dispatch queue, another one after every move.
  ///
  /// An operation of a queue that is away runs what it waits for itself where the dispatch queue
  /// has no thread for that. A wait that even this cannot end stops the process (contract 101).
  ///
  /// Any queue but the main one, whose operations `OperationQueue.main` runs. Stops the process for
  /// that, and while the queue has operations or a barrier (contract 120). The main queue's own
  /// reads `DispatchQueue.main` and stays as it is. A queue with a `DispatchScheduler` that has a
  /// `targetQueue` reads that where nothing was set.
  public var underlyingQueue: DispatchQueue? {
    get { self === MainQueue.queue ? .main : (scheduler as? DispatchScheduler)?.targetQueue }
    set {
      guard self !== MainQueue.queue else { return }
      guard isEmpty else {
        refuse(
          newValue,
          " while it has operations or a barrier (\(operationCount)); set it before "
            + "the first is added, or after waitUntilAllOperationsAreFinished()")
      }
      guard let newValue else { return move(to: nil) }
      // The main queue has many wrappers, but one label.
      guard newValue.label != DispatchQueue.main.label else {
        refuse(
          newValue,
          ", whose thread would run every operation; use OperationQueue.main, or make a queue of your own"
        )
      }
      // One for each move: no drain of the last place can be taken for one of this.
      let dispatch = DispatchScheduler(workers: scheduler.workerCount)
      dispatch.targetQueue = newValue
      move(to: dispatch)
    }
  }

  private func refuse(_ dispatchQueue: DispatchQueue?, _ finding: String) -> Never {
    fatalError(
      "OperationsFoundation: underlyingQueue of queue \"\(name ?? "")\" was set to "
        + "\"\(dispatchQueue?.label ?? "nil")\"\(finding).")
  }
}
