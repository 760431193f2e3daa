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
  /// The first observer of a property came; the runtime's value then.
  case baseline(ObservedProperty, Bool)
  /// What is no flag has changed from one value to another.
  case changed(ObservedSubject, any Sendable, any Sendable)
  /// This observer came, who wants to know what the property is; without a value that is known, or
  /// asked for, when it is told.
  case initial(ObserverSwitch, OperationObserver, (any Sendable)?)
}

/// A property that a subclass has added.
struct OwnProperty: Hashable, @unchecked Sendable {
  // Unchecked: a key path to a property never changes.
  let path: AnyKeyPath
}

/// Calls one observer with a change of the property that he observes.
enum OperationObserver: Sendable {
  case flag(ObservedProperty, @Sendable (Operation, ObservedChange<Bool>) -> Void)
  case value(ValueObserver<Operation, ObservedSubject>)

  /// An observer of a built-in property, whose values have the handler's type.
  init<Value: Sendable>(
    of property: ObservedProperty,
    _ handler: @escaping @Sendable (Operation, ObservedChange<Value>) -> Void
  ) {
    let observer = ValueObserver(ObservedSubject.builtIn(property), handler)
    guard Value.self == Bool.self else {
      self = .value(observer)
      return
    }
    self = .flag(property) { observer.tell($0, $1.oldValue, $1.newValue, $1.isInitial) }
  }

  var subject: ObservedSubject {
    switch self {
    case .flag(let property, _): .builtIn(property)
    case .value(let observer): observer.subject
    }
  }
}

/// What an observer observes; those of one subject are in one list.
enum ObservedSubject: Hashable, Sendable {
  case builtIn(ObservedProperty)
  case own(OwnProperty)
}

/// What an observed operation keeps in its cold table; guarded by its edit lock, but for `shown`.
@safe final class ObservationLog {
  var log = TransitionLog<Transition>()
  var lists = ObserverLists<ObservedSubject, OperationObserver>()
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
