// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One change of an observed property.
public struct ObservedChange<Value: Sendable>: Sendable {
  /// The value before.
  public let oldValue: Value
  /// The value after.
  public let newValue: Value
  /// No change, but the value when the observer came, as both.
  var isInitial = false
}

/// Keeps an observation alive: it ends when this object goes, or with `invalidate()` (contract 124).
///
/// Does not keep the observed object. Any thread. After the end no call of the handler begins; one that runs on another
/// thread at that moment may still be running.
public final class Observation: Sendable {
  private let isOn: ObserverSwitch
  /// Takes the observer out of the observed object.
  private let remove: @Sendable () -> Void

  init(_ isOn: ObserverSwitch, remove: @escaping @Sendable () -> Void) {
    self.isOn = isOn
    self.remove = remove
  }

  deinit { invalidate() }

  /// Ends the observation; further calls do nothing.
  public func invalidate() { if isOn.turnOff() { remove() } }
}

/// Whether an observer still wants to be told; shared by the observed object and the token.
final class ObserverSwitch: Sendable {
  private let value = Atomic<Bool>(true)
  private let index = Atomic<Int>(0)

  /// Where the observer stands in the log.
  // relaxed, both: under the lock of the log.
  var place: Int {
    get { index.load(ordering: .relaxed) }
    set { index.store(newValue, ordering: .relaxed) }
  }

  /// Looked at before each call of the handler.
  // relaxed: a call that reads the old value begins at the same time as the end.
  var isOn: Bool { value.load(ordering: .relaxed) }

  /// True for the first caller.
  // relaxed: one exchange decides, nothing else is published.
  func turnOff() -> Bool { value.exchange(false, ordering: .relaxed) }
}

/// What happened to one object, in order, told to its observers by one thread at a time.
///
/// A value under the lock that orders the object's transitions: whoever changes the object appends in the same step.
/// After unlocking he takes the events, unless somebody else is telling; that one then comes back for them. So order
/// needs no lock while handlers run. Page: Observation.md; model: Tests/Models/observation.pml.
struct TransitionLog<Event, Handler> {
  /// Somebody who is told; only of what happens after he came.
  struct Observer {
    let isOn: ObserverSwitch
    let since: Int
    let handler: Handler
  }

  /// In the order in which they came; nil where one has gone.
  private(set) var observers: [Observer?] = []
  private var gone = 0
  private var events: [Event] = []
  /// Events that were taken before the first of `events`.
  private var taken = 0
  private var isTelling = false

  /// Events for one thread to tell, with those who are to be told.
  struct Portion {
    let first: Int
    let events: [Event]
    let observers: [Observer?]

    /// The observers that event number `index` of the portion concerns.
    func audience(_ index: Int) -> [Observer] {
      observers.compactMap { observer in
        observer.flatMap { $0.since <= first + index && $0.isOn.isOn ? $0 : nil }
      }
    }
  }

  mutating func append(_ event: Event) { events.append(event) }

  /// Adds an observer of everything from the next event on; O(1) amortised.
  mutating func add(_ isOn: ObserverSwitch, _ handler: Handler) {
    isOn.place = observers.count
    observers.append(Observer(isOn: isOn, since: taken + events.count, handler: handler))
  }

  /// Returns the observer for the caller to release after unlocking; O(1) amortised.
  ///
  /// `isOn` is that of an observer of this log.
  mutating func remove(_ isOn: ObserverSwitch) -> Observer? {
    let place = isOn.place
    guard let observer = observers[place], observer.isOn === isOn else { return nil }
    observers[place] = nil
    gone += 1
    if gone > observers.count / 2 { closeRanks() }
    return observer
  }

  private mutating func closeRanks() {
    observers.removeAll { $0 == nil }
    gone = 0
    for (place, observer) in observers.enumerated() { observer?.isOn.place = place }
  }

  /// What the caller must tell now; nil when there is nothing, or somebody tells already.
  mutating func take() -> Portion? {
    guard !isTelling, !events.isEmpty else { return nil }
    isTelling = true
    let portion = Portion(first: taken, events: events, observers: observers)
    taken += events.count
    events = []
    return portion
  }

  /// The portion has been told.
  mutating func told() { isTelling = false }
}

extension TransitionLog: Sendable where Event: Sendable, Handler: Sendable {}
extension TransitionLog.Observer: Sendable where Event: Sendable, Handler: Sendable {}
extension TransitionLog.Portion: Sendable where Event: Sendable, Handler: Sendable {}
