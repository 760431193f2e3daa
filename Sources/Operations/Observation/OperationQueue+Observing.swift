// SPDX-License-Identifier: Apache-2.0

extension OperationQueue {
  /// Calls `handler` with the old and the new value whenever the property changes (contract
  /// 123–126).
  ///
  /// For `operations`, `operationCount`, `maxConcurrentOperationCount`, `isSuspended` and `name`;
  /// another property stops the process. All changes after the call are told in order, one at a
  /// time, none left out and none twice, each on the thread that made it, or on one that is still
  /// telling an earlier one; a batch is one change. No lock is held; the handler may use the whole
  /// interface but for waiting for this queue. Dropping the result ends the observation. Observers
  /// of `operations` are told before those of `operationCount`. While somebody observes either, a
  /// change costs O(operations), and a closure that is added gets an operation object at once.
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<OperationQueue, Value>,
    handler: @escaping @Sendable (OperationQueue, ObservedChange<Value>) -> Void
  ) -> Observation {
    observe(keyPath, options: [.old, .new]) { queue, change in
      if let change = ObservedChange(change) { handler(queue, change) }
    }
  }

  /// Calls `changeHandler` when the property changes, as `options` say; Foundation's spelling.
  ///
  /// For what `observe(_:handler:)` takes, in the same order and on the same threads. With
  /// `ObservingOptions.initial` the first call comes before this one returns, unless another thread
  /// is still telling an earlier event of this queue: then that one makes it.
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<OperationQueue, Value>, options: ObservingOptions,
    changeHandler: @escaping @Sendable (OperationQueue, KeyValueChange<Value>) -> Void
  ) -> Observation {
    let observer = Observer(options) { [weak self] (change: KeyValueChange<Value>) in
      if let self { changeHandler(self, change) }
    }
    return attach(observer, of: property(at: keyPath))
  }

  private func property(at keyPath: AnyKeyPath) -> QueueProperty {
    switch keyPath {
    case \OperationQueue.operations: .operations
    case \OperationQueue.operationCount: .count
    case \OperationQueue.maxConcurrentOperationCount: .limit
    case \OperationQueue.isSuspended: .suspended
    case \OperationQueue.name: .name
    default:
      Fault.notObservable(
        Fault.name(of: keyPath), of: "queue \"\(storedName)\"",
        "operations, operationCount, maxConcurrentOperationCount, isSuspended and name")
    }
  }
}
