// SPDX-License-Identifier: Apache-2.0

/// The observable properties of an operation (contract 122).
enum ObservedProperty: Hashable, Sendable {
  case isCancelled, isAsynchronous, isExecuting, isFinished, isReady
  case dependencies, queuePriority, completionBlock
  /// One that a subclass has added.
  case own(OwnProperty)

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

/// A property that a subclass has added.
struct OwnProperty: Hashable, @unchecked Sendable {
  // Unchecked: a key path to a property never changes.
  let path: AnyKeyPath
}

/// What an observed operation keeps in its cold table; guarded by its edit lock, but for `shown`.
@safe final class ObservationLog: @unchecked Sendable {
  let notices = Notices<ObservedProperty>()
  /// Called once, in the order added, when the finish is told; none comes after that was noted.
  var finishHandlers: [@Sendable (Operation) -> Void] = []
  /// Operations that depend on this one and whose readiness is observed; none comes after the
  /// seal.
  var probes: [WeakOperation] = []
  /// The dependencies that have not told this operation that they have finished; nil until
  /// somebody observes `isReady`.
  var awaited: Set<UInt>?
  /// The runtime's readiness as last noted.
  var builtInReady = true
  /// The newest announcement of each property: an older one that reads its value later is void.
  var newestAnnouncement: [ObservedProperty: Int] = [:]
  /// What the properties were that subclasses are about to change.
  var ownBefore: [OwnProperty: any Sendable] = [:]
  /// The last value told of each flag; used by whoever tells.
  var shown: [ObservedProperty: Bool] = [:]
}

/// What the runtime's getters answer while a subclass's getters are asked about an event that is
/// over.
struct ValueBeingTold {
  let operation: UInt
  let property: ObservedProperty
  let value: Bool
}

extension Operation {
  /// What this thread assumes about a property of the operation.
  final func valueBeingTold(_ property: ObservedProperty) -> Bool? {
    // relaxed: the thread that tells has seen the bit, which stays.
    guard state.load(ordering: .relaxed) & StateBit.hasExtras != 0 else { return nil }
    return ThreadRecord.withCurrent { record in
      guard let told = record.valueBeingTold, told.operation == word else { return nil }
      return told.property == property ? told.value : nil
    }
  }
}
