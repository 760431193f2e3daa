// SPDX-License-Identifier: Apache-2.0

import Synchronization

// What subclasses say that they have changed: flags of their own state, and properties that they
// have added.

extension Operation {
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
    // acquire, edge EditLock.
    guard state.load(ordering: .acquiring) & StateBit.hasExtras != 0 else { return }
    guard property != .isReady else { return noteReadyAnnouncement() }
    guard let number = withAnnouncements({ $0.nextNumber(of: property) }) else { return }
    // User code: without lock. Who announces later reads later, so an older reading that comes late
    // is void.
    let value = currentValue(of: property)
    _ = withAnnouncements { log in
      guard log.newestAnnouncement[property] == number else { return }
      log.log.append(.announced(property, value))
    }
    deliverTransitions()
  }

  /// The subclass is asked when the event is told, with what the runtime says now.
  private final func noteReadyAnnouncement() {
    _ = withAnnouncements { log in
      if log.tracksReadiness { log.log.append(.ready(log.builtInReady)) }
    }
    deliverTransitions()
  }

  /// A subclass is about to change a property that it has added.
  final func noteOwnBefore(_ property: OwnProperty, _ value: () -> any Sendable) {
    // acquire, edge EditLock.
    guard state.load(ordering: .acquiring) & StateBit.hasExtras != 0,
      withAnnouncements({ $0.lists.observes(.own(property)) }) == true
    else { return }
    let value = value()  // user code: without lock
    let old = withAnnouncements { $0.ownBefore.updateValue(value, forKey: property) }
    // What is let go of is released after the lock.
    withExtendedLifetime(old) {}
  }

  /// A subclass has changed a property that it has added; nothing was noted if nobody observed it
  /// before the change.
  final func noteOwnAfter(_ property: OwnProperty, _ value: () -> any Sendable) {
    // acquire, edge EditLock.
    guard state.load(ordering: .acquiring) & StateBit.hasExtras != 0,
      let before = withAnnouncements({ $0.ownBefore.removeValue(forKey: property) }),
      let before
    else { return }
    let value = value()  // user code: without lock
    _ = withAnnouncements { $0.log.append(.changed(.own(property), before, value)) }
    deliverTransitions()
  }

  private final func withAnnouncements<Value>(_ body: (ObservationLog) -> Value) -> Value? {
    let bits = lockState()
    let value = observationLog(bits).map(body)
    unlockState(bits)
    return value
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

extension ObservationLog {
  func nextNumber(of property: ObservedProperty) -> Int {
    let number = newestAnnouncement[property, default: 0] + 1
    newestAnnouncement[property] = number
    return number
  }
}
