// SPDX-License-Identifier: Apache-2.0

/// The observable properties of an operation (contract 122).
enum ObservedProperty: UInt8, CaseIterable {
  case isCancelled, isAsynchronous, isExecuting, isFinished, isReady
  case dependencies, queuePriority, completionBlock
  /// One that a subclass has added.
  case own

  /// The property that a subclass means by `key`, with or without "is" (contract 63).
  init?(key: String) {
    switch key {
    case "isCancelled", "cancelled": self = .isCancelled
    case "isAsynchronous", "asynchronous", "isConcurrent", "concurrent": self = .isAsynchronous
    case "isExecuting", "executing": self = .isExecuting
    case "isFinished", "finished": self = .isFinished
    case "isReady", "ready": self = .isReady
    default: return nil
    }
  }
}

/// What happened to an observed operation.
///
/// `ready` and `executing` carry what the runtime says; a subclass may say something else, and is
/// asked when the event is told.
enum Transition: Sendable {
  case cancelled
  case ready(Bool)
  case executing(Bool)
  case finished
  /// A subclass has announced a change and read this value afterwards.
  case announced(ObservedProperty, Bool)
  case dependencies([Operation], [Operation])
  case priority(Operation.QueuePriority, Operation.QueuePriority)
  case completionBlock((@Sendable () -> Void)?, (@Sendable () -> Void)?)
  /// The first observer of a property came; the runtime's value then.
  case baseline(ObservedProperty, Bool)
  /// A subclass has changed a property that it has added.
  case own(OwnProperty, any Sendable, any Sendable)
  /// This observer came, who wants to know what the property is.
  case initial(ObserverSwitch, OperationObserver, InitialValue)
}

/// What an observer is told first who wants to know what the property is.
enum InitialValue: Sendable {
  /// Known, or asked for, when it is told.
  case later
  case dependencies([Operation])
  case priority(Operation.QueuePriority)
  case completionBlock((@Sendable () -> Void)?)
}

/// A property that a subclass has added.
struct OwnProperty: Hashable, @unchecked Sendable {
  // Unchecked: a key path to a property never changes.
  let path: AnyKeyPath
}

/// Calls one observer with a change of the property that he observes.
enum OperationObserver: Sendable {
  case flag(ObservedProperty, @Sendable (Operation, ObservedChange<Bool>) -> Void)
  case operations(@Sendable (Operation, ObservedChange<[Operation]>) -> Void)
  case priority(@Sendable (Operation, ObservedChange<Operation.QueuePriority>) -> Void)
  case block(@Sendable (Operation, ObservedChange<(@Sendable () -> Void)?>) -> Void)
  /// Reads the property, and is called with two values of it; the flag says that the observer has
  /// just come.
  case own(
    OwnProperty, read: @Sendable (Operation) -> any Sendable,
    @Sendable (Operation, any Sendable, any Sendable, Bool) -> Void)

  var property: ObservedProperty {
    switch self {
    case .flag(let property, _): property
    case .operations: .dependencies
    case .priority: .queuePriority
    case .block: .completionBlock
    case .own: .own
    }
  }

  var subject: ObservedSubject {
    guard case .own(let property, _, _) = self else { return .builtIn(property) }
    return .own(property)
  }
}

/// What an observer observes; those of one subject are in one list.
enum ObservedSubject: Hashable {
  case builtIn(ObservedProperty)
  case own(OwnProperty)
}

/// What an observed operation keeps in its cold table; guarded by its edit lock, but for `shown`.
@safe final class ObservationLog {
  typealias Observers = ObserverList<OperationObserver>
  var log = TransitionLog<Transition>()
  /// None is empty.
  private var lists: [ObservedSubject: Observers] = [:]
  /// Called once, in the order added, when the finish is told; none comes after that was noted.
  var finishHandlers: [@Sendable (Operation) -> Void] = []
  /// Somebody has observed `isReady`, so that dependencies have probes.
  var tracksReadiness = false
  /// The runtime's readiness as last appended.
  var builtInReady = true
  /// Dependencies before this place have finished or were removed.
  var readyCursor = 0
  /// The newest announcement of each property: an older one that reads its value later is void.
  var newestAnnouncement: [ObservedProperty: Int] = [:]
  /// Flags with a baseline in the log or in `shown`.
  var baselined: Set<ObservedProperty> = []
  /// What the properties were that subclasses are about to change.
  var ownBefore: [OwnProperty: any Sendable] = [:]
  /// The last value told of each flag; used by whoever tells.
  var shown: [ObservedProperty: Bool] = [:]

  func observes(_ property: ObservedProperty) -> Bool { lists[.builtIn(property)] != nil }

  func observes(_ property: OwnProperty) -> Bool { lists[.own(property)] != nil }

  func add(_ isOn: ObserverSwitch, _ observer: OperationObserver) {
    lists[observer.subject, default: Observers()].add(isOn, since: log.nextNumber, observer)
  }

  /// Returns the observer for the caller to release after unlocking.
  func remove(_ isOn: ObserverSwitch, of subject: ObservedSubject) -> Observers.Observer? {
    let removed = lists[subject]?.remove(isOn)
    if lists[subject]?.isEmpty == true { lists[subject] = nil }
    return removed ?? nil
  }

  /// The next observers whom event `number` concerns; see `ObserverList`.
  func next(_ subject: ObservedSubject, _ number: Int, isFirst: Bool) -> Observers.Step? {
    lists[subject]?.next(number, isFirst: isFirst)
  }
}

/// What the runtime's getters answer while a subclass's getters are asked about an event that is
/// over.
struct ValueBeingTold {
  let operation: UInt
  var isReady: Bool?
  var isExecuting: Bool?

  /// What this thread assumes about `operation`.
  static func current(of operation: Operation) -> ValueBeingTold? {
    ThreadRecord.withCurrent { record in
      guard let valueBeingTold = record.valueBeingTold, valueBeingTold.operation == operation.word
      else {
        return nil
      }
      return valueBeingTold
    }
  }
}
