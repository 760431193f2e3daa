// SPDX-License-Identifier: Apache-2.0

/// What `Operation` and `OperationQueue` have in common: members that know the subclass they are
/// called on.
public protocol KeyValueObservable: AnyObject, Sendable {}

extension Operation: KeyValueObservable {}
extension OperationQueue: KeyValueObservable {}

extension KeyValueObservable where Self: Operation {
  /// Calls `changeHandler` when the property changes, as `options` say; Foundation's spelling.
  ///
  /// For what `observe(_:handler:)` takes, in the same order and on the same threads, and for
  /// properties that the subclass has added, if it calls `willChangeValue(for:)` and
  /// `didChangeValue(for:)` around each change of them. With `ObservingOptions.initial` the first
  /// call comes before this one returns, unless another thread is still telling an earlier event of
  /// this operation: then that one makes it.
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value>, options: ObservingOptions,
    changeHandler: @escaping @Sendable (Self, KeyValueChange<Value>) -> Void
  ) -> Observation {
    let teller = OptionsTeller(options: options, isOn: ObserverSwitch(), handler: changeHandler)
    let observer = observer(of: keyPath) { (operation: Self, change: ObservedChange<Value>) in
      teller.tell(operation, change)
    }
    return attach(observer, teller.isOn, wantsInitial: options.contains(.initial))
  }

  /// As the other `observe(_:handler:)`, for properties that a subclass has added.
  ///
  /// Those are told when the subclass calls `willChangeValue(for:)` and `didChangeValue(for:)`
  /// around the change.
  @_disfavoredOverload
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value>,
    handler: @escaping @Sendable (Self, ObservedChange<Value>) -> Void
  ) -> Observation {
    attach(observer(of: keyPath, handler))
  }

  /// As `willChangeValue(forKey:)`, for the property at `keyPath`, which the subclass may have
  /// added.
  @_disfavoredOverload
  public func willChangeValue<Value: Sendable>(for keyPath: KeyPath<Self, Value>) {
    switch Self.property(at: keyPath) {
    case .own: noteOwnBefore(OwnProperty(path: keyPath)) { self[keyPath: keyPath] }
    case let property: willChangeValue(forKey: "\(property)")
    }
  }

  /// As `didChangeValue(forKey:)`, for the property at `keyPath`, which the subclass may have
  /// added.
  ///
  /// A property that the subclass has added is told to its observers with the value that it had at
  /// `willChangeValue(for:)`, which must come first.
  @_disfavoredOverload
  public func didChangeValue<Value: Sendable>(for keyPath: KeyPath<Self, Value>) {
    switch Self.property(at: keyPath) {
    case .own:
      noteOwnAfter(OwnProperty(path: keyPath)) { self[keyPath: keyPath] }
      // It may name an inherited flag by the class that overrides it, `\Download.isFinished`, which
      // nothing tells from a property that the class has added. The getters are asked, so what has
      // not changed is not announced.
      guard Value.self == Bool.self else { return }
      for flag in [ObservedProperty.isExecuting, .isReady, .isFinished] where !isSealed {
        announce(flag)
      }
    case let property: didChangeValue(forKey: "\(property)")
    }
  }

  /// Which property a key path of the subclass means, overridden or not.
  private static func property(at keyPath: AnyKeyPath) -> ObservedProperty {
    switch keyPath {
    case _ where isSame(keyPath, \Self.isCancelled): .isCancelled
    case _ where isSame(keyPath, \Self.isAsynchronous): .isAsynchronous
    case _ where isSame(keyPath, \Self.isExecuting): .isExecuting
    case _ where isSame(keyPath, \Self.isFinished): .isFinished
    case _ where isSame(keyPath, \Self.isReady): .isReady
    case _ where isSame(keyPath, \Self.dependencies): .dependencies
    case _ where isSame(keyPath, \Self.queuePriority): .queuePriority
    case _ where isSame(keyPath, \Self.completionBlock): .completionBlock
    default: .own
    }
  }

  /// The name of a property that changes without being told; nil for others.
  private static func unannouncedName(of keyPath: AnyKeyPath) -> String? {
    switch keyPath {
    case _ where isSame(keyPath, \Self.name): "name"
    case _ where isSame(keyPath, \Self.qualityOfService): "qualityOfService"
    case _ where isSame(keyPath, \Self.effectiveQualityOfService): "effectiveQualityOfService"
    case _ where isSame(keyPath, \Self.threadPriority): "threadPriority"
    case _ where isSame(keyPath, \Self.serviceReport): "serviceReport"
    case _ where isSame(keyPath, \Self.description): "description"
    case _ where isSame(keyPath, \Self.hashValue): "hashValue"
    case _ where isSame(keyPath, \Self.isSkippedWithoutSlot): "isSkippedWithoutSlot"
    case _ where isSame(keyPath, \Self.retainsFinishedDependencies): "retainsFinishedDependencies"
    case _ where isSame(keyPath, \Self.cancelDependentsOnCancel): "cancelDependentsOnCancel"
    default: nil
    }
  }

  /// Whether `keyPath` is `known`, which is made only if both lead to values of the same type.
  ///
  /// The class is known at run time alone, so that a key path of it is made each time it is
  /// written: the dearest step of all.
  private static func isSame<Value>(
    _ keyPath: AnyKeyPath, _ known: @autoclosure () -> KeyPath<Self, Value>
  ) -> Bool {
    type(of: keyPath).valueType == Value.self && keyPath == known()
  }

  /// For messages.
  static func name(of keyPath: AnyKeyPath) -> String {
    unannouncedName(of: keyPath) ?? "a property of type \(type(of: keyPath).valueType)"
  }

  private func observer<Value: Sendable>(
    of keyPath: KeyPath<Self, Value>,
    _ handler: @escaping @Sendable (Self, ObservedChange<Value>) -> Void
  ) -> OperationObserver {
    // The operation is the one that was asked.
    @Sendable func asked(_ operation: Operation) -> Self {
      guard let operation = operation as? Self else {
        Fault.internalError("\(operation) has a subclass's observer")
      }
      return operation
    }
    let property = Self.property(at: keyPath)
    if property == .own {
      if let name = Self.unannouncedName(of: keyPath) { Fault.notObservable(self, name) }
      let own = OwnProperty(path: keyPath)
      var observer = ValueObserver(ObservedSubject.own(own)) { handler(asked($0), $1) }
      observer.read = { operation in
        guard let path = own.path as? KeyPath<Self, Value> else {
          Fault.internalError("a property of \(operation) has another type")
        }
        return asked(operation)[keyPath: path]
      }
      return .value(observer)
    }
    return OperationObserver(of: property) { handler(asked($0), $1) }
  }
}

extension Operation {
  /// As `willChangeValue(forKey:)`, for the property at `keyPath`.
  public func willChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {
    willChangeValue(forKey: Self.key(of: keyPath))
  }

  /// As `didChangeValue(forKey:)`, for the property at `keyPath`.
  public func didChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {
    didChangeValue(forKey: Self.key(of: keyPath))
  }

  private static func key(of keyPath: AnyKeyPath) -> String {
    observedProperty(at: keyPath).map { "\($0)" } ?? ""
  }

  /// Which property a key path of this class means; nil where it cannot be observed.
  static func observedProperty(at keyPath: AnyKeyPath) -> ObservedProperty? {
    switch keyPath {
    case \Operation.isFinished: .isFinished
    case \Operation.isExecuting: .isExecuting
    case \Operation.isReady: .isReady
    case \Operation.isCancelled: .isCancelled
    case \Operation.isAsynchronous: .isAsynchronous
    case \Operation.dependencies: .dependencies
    case \Operation.queuePriority: .queuePriority
    case \Operation.completionBlock: .completionBlock
    default: nil
    }
  }
}
