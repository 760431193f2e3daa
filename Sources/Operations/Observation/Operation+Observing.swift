// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Operation {
  /// Calls `handler` with the old and the new value whenever the property changes (contract 122,
  /// 124–126).
  ///
  /// For `isCancelled`, `isAsynchronous`, `isExecuting`, `isFinished` and `isReady`; another
  /// property stops the process. All changes of this operation after the call are told in the order
  /// in which they happened, one at a time, none left out and none twice, each on the thread that
  /// made it, or on one that is still telling an earlier one. No lock is held; the handler may use
  /// the whole interface, and what it changes is told after it has returned. Dropping the result
  /// ends the observation. An operation does not become slower for being observable, only for being
  /// observed.
  public final func observe(
    _ keyPath: KeyPath<Operation, Bool>,
    handler: @escaping @Sendable (Operation, ObservedChange<Bool>) -> Void
  ) -> Observation {
    guard let property = Self.observedProperty(at: keyPath) else {
      Fault.notObservable(self, Operation.name(of: keyPath))
    }
    return attach(.flag(property, handler))
  }

  /// As the other `observe(_:handler:)`, for `dependencies`, `queuePriority` and `completionBlock`.
  ///
  /// A change of the dependencies costs O(dependencies). Blocks cannot be compared, so every
  /// assignment of one is told.
  public final func observe<Value: Sendable>(
    _ keyPath: KeyPath<Operation, Value>,
    handler: @escaping @Sendable (Operation, ObservedChange<Value>) -> Void
  ) -> Observation {
    guard let property = Self.observedProperty(at: keyPath) else {
      Fault.notObservable(self, Operation.name(of: keyPath))
    }
    return attach(OperationObserver(of: property, handler))
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

  /// - Parameter isOn: its switch, where the handler looks at it as well.
  final func attach(
    _ observer: OperationObserver, _ isOn: ObserverSwitch = ObserverSwitch(),
    wantsInitial: Bool = false
  ) -> Observation {
    let subject = observer.subject
    let property =
      if case .builtIn(let property) = subject { property } else { ObservedProperty.own }
    let probed = withObservationLog { log, bits -> [Operation] in
      if let value = runtimeValue(of: property, bits), log.baselined.insert(property).inserted {
        log.log.append(.baseline(property, value))
      }
      log.lists.add(isOn, since: log.log.nextNumber, observer, of: subject)
      if wantsInitial {
        log.log.append(.initial(isOn, observer, initialValue(of: property, bits)))
      }
      guard property == .isReady, !log.tracksReadiness else { return [] }
      log.tracksReadiness = true
      log.builtInReady = isBuiltInReady(log, bits)
      return log.builtInReady ? [] : currentDependencies(bits)
    }
    for dependency in probed { probe(dependency) }
    deliverTransitions()
    return Observation(isOn) { [weak self] in self?.detach(isOn, of: subject) }
  }

  /// Under the edit lock.
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

  private final func detach(_ isOn: ObserverSwitch, of subject: ObservedSubject) {
    let removed = withObservationLog { log, _ in log.lists.remove(isOn, of: subject) }
    // Its captures go without the lock.
    withExtendedLifetime(removed) {}
  }

  /// Calls `body` with the log, made first, and the state, under the edit lock.
  private final func withObservationLog<Value>(_ body: (ObservationLog, UInt32) -> Value) -> Value {
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

extension Fault {
  /// - Parameter property: its name; a key path itself knows an address only.
  static func notObservable(_ operation: Operation, _ property: String) -> Never {
    stop(
      "\(operation.diagnosticName) was asked to observe \(property); observable are isCancelled, isAsynchronous, "
        + "isExecuting, isFinished, isReady, dependencies, queuePriority and completionBlock, and what a subclass adds and "
        + "announces with willChangeValue(for:) and didChangeValue(for:)")
  }
}
