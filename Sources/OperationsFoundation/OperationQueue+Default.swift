// SPDX-License-Identifier: Apache-2.0

public import Dispatch
internal import WorkStealingBackend

/// The scheduler of every queue that names none; its threads start with the first such queue.
private enum ProcessWide {
  static let scheduler = WorkStealingScheduler(
    workers: ProcessInfo.processInfo.activeProcessorCount)
}

extension OperationQueue {
  /// A queue on the process-wide work-stealing scheduler, which has as many workers as the process may use CPUs.
  public convenience init() { self.init(scheduler: ProcessWide.scheduler) }

  /// The dispatch queue that the operations run on: nil, for no scheduler here runs them on a queue of the user's.
  ///
  /// Setting a queue stops the process (contract 120); setting nil changes nothing.
  public var underlyingQueue: DispatchQueue? {
    get { nil }
    set {
      guard let newValue else { return }
      fatalError(
        "OperationsFoundation: underlyingQueue of queue \"\(name ?? "")\" was set to \"\(newValue.label)\"; this "
          + "queue's scheduler, \(type(of: scheduler)), runs operations on threads of its own choice. Leave it nil, or "
          + "submit to the dispatch queue from an operation.")
    }
  }
}
