// SPDX-License-Identifier: Apache-2.0

extension OperationQueue {
  /// Calls `handler` with the old and the new operations whenever one is added or leaves (contract
  /// 123–126).
  ///
  /// For `operations`. All changes after the call are told in order, one at a time, none left out
  /// and none twice, each on the thread that made it, or on one that is still telling an earlier
  /// one; a batch is one change. No lock is held; the handler may use the whole interface but for
  /// waiting for this queue. Dropping the result ends the observation. Observers of `operations`
  /// are told before those of `operationCount`. A change costs O(operations); a closure that is
  /// added while somebody observes gets an operation object at once.
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

extension OperationQueue {
  /// Calls `changeHandler` when the property changes, as `options` say; Foundation's spelling.
  ///
  /// For what `observe(_:handler:)` takes, in the same order and on the same threads. With
  /// `ObservingOptions.initial` the first call comes before this one returns, unless another thread
  /// is still telling an earlier event of this queue: then that one makes it.
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<OperationQueue, Value>, options: ObservingOptions,
    changeHandler: @escaping @Sendable (OperationQueue, KeyValueChange<Value>) -> Void
  ) -> Observation {
    let teller = OptionsTeller(options: options, isOn: ObserverSwitch(), handler: changeHandler)
    // The type is that of the property.
    @Sendable func call<Known: Sendable>(_ queue: OperationQueue, _ change: ObservedChange<Known>) {
      guard let old = change.oldValue as? Value, let new = change.newValue as? Value else {
        Fault.internalError("a change of \(queue) has a value of another type")
      }
      teller.tell(queue, from: old, to: new, isInitial: change.isInitial)
    }
    let observer: QueueObserver
    switch keyPath {
    case \OperationQueue.operations: observer = .operations { call($0, $1) }
    case \OperationQueue.operationCount: observer = .count { call($0, $1) }
    case \OperationQueue.maxConcurrentOperationCount: observer = .limit { call($0, $1) }
    case \OperationQueue.isSuspended: observer = .suspended { call($0, $1) }
    case \OperationQueue.name: observer = .name { call($0, $1) }
    default: Fault.notObservable(self, keyPath)
    }
    return attach(observer, teller.isOn, wantsInitial: options.contains(.initial))
  }
}

extension Fault {
  static func notObservable(_ queue: OperationQueue, _ keyPath: AnyKeyPath) -> Never {
    let property =
      switch keyPath {
      case \OperationQueue.qualityOfService: "qualityOfService"
      case \OperationQueue.description: "description"
      case \OperationQueue.hashValue: "hashValue"
      case \OperationQueue.startsInOrder: "startsInOrder"
      case \OperationQueue.blockingPolicy: "blockingPolicy"
      case \OperationQueue.retainsFinishedDependencies: "retainsFinishedDependencies"
      // A key path itself knows an address only.
      default: "a property of type \(type(of: keyPath).valueType)"
      }
    stop(
      "queue \"\(queue.storedName)\" was asked to observe \(property); observable are operations, operationCount, "
        + "maxConcurrentOperationCount, isSuspended and name")
  }
}
