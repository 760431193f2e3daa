// SPDX-License-Identifier: Apache-2.0

extension OperationQueue {
  /// Calls `handler` with the old and the new operations whenever one is added or leaves (contract 123–126).
  ///
  /// For `operations`. All changes after the call are told in order, one at a time, none left out and none twice, each on
  /// the thread that made it, or on one that is still telling an earlier one; a batch is one change. No lock is held;
  /// the handler may use the whole interface but for waiting for this queue. Dropping the result ends the observation.
  /// Observers of `operations` are told before those of `operationCount`. A change costs O(operations); a closure that
  /// is added while somebody observes gets an operation object at once.
  public func observe(
    _ keyPath: KeyPath<OperationQueue, [Operation]>,
    handler: @escaping @Sendable (OperationQueue, ObservedChange<[Operation]>) -> Void
  ) -> Observation {
    guard keyPath == \OperationQueue.operations else { Fault.notObservable(self, keyPath) }
    return attach(.operations(handler))
  }

  /// As the other `observe(_:handler:)`, for `operationCount` and `maxConcurrentOperationCount`.
  public func observe(
    _ keyPath: KeyPath<OperationQueue, Int>,
    handler: @escaping @Sendable (OperationQueue, ObservedChange<Int>) -> Void
  ) -> Observation {
    switch keyPath {
    case \OperationQueue.operationCount: attach(.count(handler))
    case \OperationQueue.maxConcurrentOperationCount: attach(.limit(handler))
    default: Fault.notObservable(self, keyPath)
    }
  }

  /// As the other `observe(_:handler:)`, for `isSuspended`.
  public func observe(
    _ keyPath: KeyPath<OperationQueue, Bool>,
    handler: @escaping @Sendable (OperationQueue, ObservedChange<Bool>) -> Void
  ) -> Observation {
    guard keyPath == \OperationQueue.isSuspended else { Fault.notObservable(self, keyPath) }
    return attach(.suspended(handler))
  }

  /// As the other `observe(_:handler:)`, for `name`.
  public func observe(
    _ keyPath: KeyPath<OperationQueue, String?>,
    handler: @escaping @Sendable (OperationQueue, ObservedChange<String?>) -> Void
  ) -> Observation {
    guard keyPath == \OperationQueue.name else { Fault.notObservable(self, keyPath) }
    return attach(.name(handler))
  }
}

extension Fault {
  static func notObservable(_ queue: OperationQueue, _ keyPath: AnyKeyPath) -> Never {
    stop(
      "queue \"\(queue.stockName)\" was asked to observe \(keyPath); observable are operations, operationCount, "
        + "maxConcurrentOperationCount, isSuspended and name")
  }
}
