// SPDX-License-Identifier: Apache-2.0

import CSystemShims

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
  /// `didChangeValue(for:)` around each change of them. Key paths are compared under locks, so the
  /// `==` of a subscript's index must not call this interface. With `ObservingOptions.initial` the
  /// first call comes before this one returns, unless another thread is still telling an earlier
  /// event of this operation: then that one makes it.
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<Self, Value>, options: ObservingOptions,
    changeHandler: @escaping @Sendable (Self, KeyValueChange<Value>) -> Void
  ) -> Observation {
    let word = self.word
    let observer = Observer(options) { (change: KeyValueChange<Value>) in
      // Changes that a subclass makes in its deinit are told to nobody.
      // SAFETY: observers are told by calls of the operation, so its memory is there.
      guard shim_retain_unless_ending(word) != 0 else { return }
      let operation = unsafe Operation.reference(word).takeRetainedValue()
      unsafe changeHandler(unsafeDowncast(operation, to: Self.self), change)
    }
    let property = Self.property(at: keyPath)
    guard case .own(let own) = property else { return attach(observer, of: property) { nil } }
    if let name = Self.unobservableName(of: keyPath) {
      Fault.notObservable(
        name, of: diagnosticName,
        "isCancelled, isAsynchronous, isExecuting, isFinished, isReady, dependencies, "
          + "queuePriority and completionBlock, and what a subclass adds and announces with "
          + "willChangeValue(for:) and didChangeValue(for:)")
    }
    return attach(observer, of: property) { [weak self] in
      guard let self, let path = own.path as? KeyPath<Self, Value> else { return nil }
      return self[keyPath: path]
    }
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
    observe(keyPath, options: [.old, .new]) { operation, change in
      if let change = ObservedChange(change) { handler(operation, change) }
    }
  }

  /// Which property a key path of the subclass means, overridden or not.
  static func property(at keyPath: AnyKeyPath) -> ObservedProperty {
    guard Self.self != Operation.self else { return Operation.inheritedProperty(at: keyPath) }
    return switch keyPath {
    case _ where isSame(keyPath, \Self.isCancelled): .isCancelled
    case _ where isSame(keyPath, \Self.isAsynchronous): .isAsynchronous
    case _ where isSame(keyPath, \Self.isExecuting): .isExecuting
    case _ where isSame(keyPath, \Self.isFinished): .isFinished
    case _ where isSame(keyPath, \Self.isReady): .isReady
    case _ where isSame(keyPath, \Self.dependencies): .dependencies
    case _ where isSame(keyPath, \Self.queuePriority): .queuePriority
    case _ where isSame(keyPath, \Self.completionBlock): .completionBlock
    default: .own(OwnProperty(path: keyPath))
    }
  }

  /// What to call a property of this class that changes without being told; nil for one that a
  /// subclass may have added.
  private static func unobservableName(of keyPath: AnyKeyPath) -> String? {
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
    default: Self.self == Operation.self ? Fault.name(of: keyPath) : nil
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
}

extension Operation {
  /// As `property(at:)` of this class, whose key paths are there and need not be made.
  fileprivate static func inheritedProperty(at keyPath: AnyKeyPath) -> ObservedProperty {
    switch keyPath {
    case \Operation.isFinished: .isFinished
    case \Operation.isExecuting: .isExecuting
    case \Operation.isReady: .isReady
    case \Operation.isCancelled: .isCancelled
    case \Operation.isAsynchronous: .isAsynchronous
    case \Operation.dependencies: .dependencies
    case \Operation.queuePriority: .queuePriority
    case \Operation.completionBlock: .completionBlock
    default: .own(OwnProperty(path: keyPath))
    }
  }

  /// Calls `handler` with the old and the new value whenever the property changes (contract 122,
  /// 124–126).
  ///
  /// For `isCancelled`, `isAsynchronous`, `isExecuting`, `isFinished`, `isReady`, `dependencies`,
  /// `queuePriority` and `completionBlock`; another property stops the process. All changes of this
  /// operation after the call are told in the order in which they happened, one at a time, none
  /// left out and none twice, each on the thread that made it, or on one that is still telling an
  /// earlier one. No lock is held; the handler may use the whole interface, and what it changes is
  /// told after it has returned. Dropping the result ends the observation. An operation does not
  /// become slower for being observable, only for being observed.
  ///
  /// A change of the dependencies costs O(dependencies). Blocks cannot be compared, so every
  /// assignment of one is told.
  @specialized(where Value == Bool)  // A flag's type is known where this is compiled.
  public final func observe<Value: Sendable>(
    _ keyPath: KeyPath<Operation, Value>,
    handler: @escaping @Sendable (Operation, ObservedChange<Value>) -> Void
  ) -> Observation {
    let operation: Operation = self
    return operation.observe(keyPath, options: [.old, .new]) { operation, change in
      if let change = ObservedChange(change) { handler(operation, change) }
    }
  }

  /// Calls `handler` once when the operation finishes, or now if it has finished (contract 59).
  ///
  /// Cancelled operations finish as well. Called like the handlers of `observe(_:handler:)`, and
  /// before dependents become ready and waiters wake, unless another thread is still telling
  /// observers of this operation an earlier event: then that thread calls it, and nothing waits for
  /// it (contract 127). Cannot be taken back. Any number of handlers, in the order added; O(1)
  /// amortised each.
  public final func onFinish(_ handler: @escaping @Sendable (Operation) -> Void) {
    let isEarly = withObservationLog { log, bits in
      let isOver = isSealedForEditor
      if !isOver { log.finishHandlers.append(handler) }
      return !isOver
    }
    if !isEarly { handler(self) }
  }

  /// Returns when the operation has finished; at once if it has (contract 102).
  ///
  /// Suspends the caller and blocks no thread. Cancelling the caller's task does not end the wait:
  /// cancel the operation. Inside the task of the operation's own body, or of one that keeps it
  /// from starting, it stops the process, as `waitUntilFinished()` does (contract 100, 101).
  ///
  /// - Parameter nothing: not to be passed. A type that only a call finds keeps
  ///   `let isDone = operation.finished`, the old name of `isFinished`, from compiling as a
  ///   reference to this method.
  public final func finished<Nothing>(_ nothing: Nothing = ()) async {
    stopIfEndlessToAwait()
    await withCheckedContinuation { continuation in onFinish { _ in continuation.resume() } }
  }

  /// - Parameter read: reads a property that a subclass has added.
  fileprivate final func attach(
    _ observer: Observer, of property: ObservedProperty,
    read: @escaping @Sendable () -> (any Sendable)?
  ) -> Observation {
    // What is known of the dependencies goes after the lock: one of them may have no other owner.
    let (log, probed, _, _) = withObservationLog {
      log, bits -> (ObservationLog, [Operation], [Operation], (any Sendable)?) in
      let notices = log.notices
      var (listed, probed): ([Operation], [Operation]) = ([], [])
      var known: (any Sendable)?
      if property == .isReady, log.awaited == nil {
        // Of what has begun the runner may drop them without the lock.
        listed = bits & StateBit.ignoresDependencies == 0 ? currentDependencies(bits) : []
        probed = listed.filter { !$0.isSealed }
        log.awaited = Set(probed.map(\.word))
        log.builtInReady = isBuiltInReady(log, bits)
      }
      if notices.add(observer, of: property), let value = runtimeValue(of: property, log, bits) {
        notices.note { [self] in log.shown[property] = ask(property, assuming: value) }
      }
      if observer.options.contains(.initial) {
        known = initialValue(of: property, bits)
        notices.note { [known] in
          guard let value = known ?? log.shown[property] ?? read() else { return }
          observer.tell(initial: value)
        }
      }
      return (log, probed, listed, known)
    }
    for dependency in probed { probe(dependency) }
    log.notices.tell()
    return Observation(observer) { [weak notices = log.notices] in
      notices?.forgetOne(of: property)
    }
  }

  /// What the runtime says of a flag; nil for what is no flag.
  private final func runtimeValue(
    of property: ObservedProperty, _ log: ObservationLog, _ bits: UInt32
  ) -> Bool? {
    let isSealed = isSealedForEditor
    return switch property {
    case .isCancelled: bits & StateBit.cancelled != 0
    case .isAsynchronous: bits & StateBit.asynchronous != 0
    case .isExecuting: Self.hasBegun(bits) && !isSealed
    case .isFinished: isSealed
    case .isReady: log.builtInReady
    case .dependencies, .queuePriority, .completionBlock, .own: nil
    }
  }

  /// What is known of a property that is no flag; under the edit lock.
  private final func initialValue(
    of property: ObservedProperty, _ bits: UInt32
  ) -> (any Sendable)? {
    switch property {
    case .dependencies: shownDependencies(bits)
    case .queuePriority: Self.priority(bits)
    case .completionBlock: .some(coldTable?.completionBlock)
    default: nil
    }
  }

  /// Calls `body` with the log, made first, and the state, under the edit lock.
  final func withObservationLog<Value>(_ body: (ObservationLog, UInt32) -> Value) -> Value {
    let table = coldTableMade()
    let spare = ObservationLog()
    let bits = lockState()
    let log = table.observation ?? spare
    if log === spare { table.observation = log }
    let value = body(log, bits)
    unlockState(StateChange.giveExtras(bits))
    return value
  }
}
