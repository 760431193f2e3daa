// SPDX-License-Identifier: Apache-2.0

import Synchronization

// What subclasses say that they have changed: flags of their own state, and properties that they
// have added.

extension KeyValueObservable where Self: Operation {
  /// As `willChangeValue(forKey:)`, for the property at `keyPath`, which the subclass may have
  /// added.
  @_disfavoredOverload
  public func willChangeValue<Value: Sendable>(for keyPath: KeyPath<Self, Value>) {
    switch Self.property(at: keyPath) {
    case .own(let own): noteOwnBefore(own) { self[keyPath: keyPath] }
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
    case .own(let own):
      noteOwnAfter(own) { self[keyPath: keyPath] }
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
}

extension Operation {
  /// As `willChangeValue(forKey:)`, for the property at `keyPath`.
  public func willChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {
    willChangeValue(forKey: "\(Operation.property(at: keyPath))")
  }

  /// As `didChangeValue(forKey:)`, for the property at `keyPath`.
  public func didChangeValue<Value>(for keyPath: KeyPath<Operation, Value>) {
    didChangeValue(forKey: "\(Operation.property(at: keyPath))")
  }

  /// Implements `didChangeValue(forKey:)`.
  final func announce(_ property: ObservedProperty) {
    switch property {
    case .isReady: announceReadiness()
    case .isExecuting: if isExecuting { noteOwnStart() }
    case .isFinished:
      // The end is told in its order: no longer executing, then finished.
      guard isFinished else { break }
      noteOwnStart()
      finishFromAnywhere()
    default: break
    }
    noteAnnouncement(property)
  }

  /// A subclass says that it has changed `property`.
  final func noteAnnouncement(_ property: ObservedProperty) {
    if property == .isReady {
      // The subclass is asked when the event is told, with what the runtime says now.
      withObservationLogIfAny { log in
        if log.awaited != nil { noteFlag(.isReady, log.builtInReady, log) }
      }
    } else {
      let number = withObservationLogIfAny { log in
        let number = log.newestAnnouncement[property, default: 0] + 1
        log.newestAnnouncement[property] = number
        return number
      }
      guard let number else { return }
      // User code: without lock. Who announces later reads later, so an older reading that comes
      // late is void.
      let value = currentValue(of: property)
      withObservationLogIfAny { log in
        guard log.newestAnnouncement[property] == number else { return }
        let observers = log.notices.observers(of: property)
        log.notices.note { [self] in show(property, value, to: observers, log) }
      }
    }
    deliverTransitions()
  }

  /// A subclass is about to change a property that it has added.
  fileprivate final func noteOwnBefore(_ property: OwnProperty, _ value: () -> any Sendable) {
    guard withObservationLogIfAny({ $0.notices.observes(.own(property)) }) == true else { return }
    let value = value()  // user code: without lock
    // What is let go of is released after the lock.
    _ = withObservationLogIfAny { $0.ownBefore.updateValue(value, forKey: property) }
  }

  /// A subclass has changed a property that it has added; nothing was noted if nobody observed it
  /// before the change.
  fileprivate final func noteOwnAfter(_ property: OwnProperty, _ value: () -> any Sendable) {
    let before = withObservationLogIfAny { $0.ownBefore.removeValue(forKey: property) }
    guard let before = before ?? nil else { return }
    let value = value()  // user code: without lock
    withObservationLogIfAny { $0.notices.note(.own(property), from: before, to: value) }
    deliverTransitions()
  }

  /// Calls `body` with the log under the edit lock, if there is one.
  @discardableResult
  final func withObservationLogIfAny<Value>(_ body: (ObservationLog) -> Value) -> Value? {
    // acquire, edge EditLock.
    guard state.load(ordering: .acquiring) & StateBit.hasExtras != 0 else { return nil }
    return withColdTable { $0.observation.map(body) } ?? nil
  }

  final func currentValue(of property: ObservedProperty) -> Bool {
    switch property {
    case .isCancelled: isCancelled
    case .isAsynchronous: isAsynchronous
    case .isExecuting: isExecuting
    case .isFinished: isFinished
    case .isReady: isReady
    case .dependencies, .queuePriority, .completionBlock, .own: false
    }
  }
}
