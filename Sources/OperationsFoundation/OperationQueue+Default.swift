// SPDX-License-Identifier: Apache-2.0

public import Dispatch
internal import DispatchBackend
internal import WorkStealingBackend

/// The scheduler of every queue that names none, with as many workers as the process may use CPUs; its threads start with
/// the first such queue.
enum ProcessWide {
  static let scheduler = WorkStealingScheduler(
    workers: ProcessInfo.processInfo.activeProcessorCount)
}

extension OperationQueue {
  /// The dispatch queue that the operations run on, if the queue has a `DispatchScheduler` and one was set, or is the main
  /// queue; else nil.
  ///
  /// Set it while the queue is empty, or nil to return to libdispatch's global queue. It belongs to the scheduler, so
  /// queues that share the scheduler share it. Stops the process on another scheduler, which runs operations on threads
  /// of its own choice, for the main queue, and while the queue has operations (contract 120); setting nil on another
  /// scheduler changes nothing, nor does setting that of the main queue.
  public var underlyingQueue: DispatchQueue? {
    get { self === MainQueue.queue ? .main : (scheduler as? DispatchScheduler)?.targetQueue }
    set {
      guard self !== MainQueue.queue else { return }
      guard let dispatch = scheduler as? DispatchScheduler else {
        guard let newValue else { return }
        fatalError(
          "OperationsFoundation: underlyingQueue of queue \"\(name ?? "")\" was set to \"\(newValue.label)\"; this "
            + "queue's scheduler, \(type(of: scheduler)), runs operations on threads of its own choice. Make the queue "
            + "with a DispatchScheduler, leave it nil, or submit to the dispatch queue from an operation."
        )
      }
      guard isEmpty else {
        fatalError(
          "OperationsFoundation: underlyingQueue of queue \"\(name ?? "")\" was set to "
            + "\"\(newValue?.label ?? "nil")\" while it has operations or a barrier (\(operationCount)); set it before "
            + "the first is added, or after waitUntilAllOperationsAreFinished().")
      }
      dispatch.targetQueue = newValue
    }
  }
}
