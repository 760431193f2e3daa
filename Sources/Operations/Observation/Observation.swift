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

/// Keeps an observation alive: it ends when this object goes, or with `invalidate()` (contract
/// 124).
///
/// Does not keep the observed object. Any thread. After the end no call of the handler begins; one
/// that runs on another thread at that moment may still be running.
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

  /// Where the observer stands in its list.
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

/// Those who are told of one property, in the order in which they came.
///
/// A value under the lock of the object's log. Page: Observation.md.
struct ObserverList<Handler> {
  /// Somebody who is told; only of what happens after he came.
  struct Observer {
    let isOn: ObserverSwitch
    let since: Int
    let handler: Handler
  }

  /// Some of those whom an event concerns.
  struct Step {
    var observers: [Observer] = []
    var isLast = true
  }

  /// Most observers of a step; the lock is held for as long as it takes to collect them.
  static var stepSize: Int { 64 }

  /// nil where one has gone.
  private var observers: [Observer?] = []
  private var gone = 0
  /// The first who has not been looked at for the event that is being told.
  private var cursor = 0

  var isEmpty: Bool { gone == observers.count }

  /// Adds an observer of event number `since` and of later ones; O(1) amortised.
  mutating func add(_ isOn: ObserverSwitch, since: Int, _ handler: Handler) {
    isOn.place = observers.count
    observers.append(Observer(isOn: isOn, since: since, handler: handler))
  }

  /// Returns the observer for the caller to release after unlocking; O(1) amortised.
  ///
  /// `isOn` is that of an observer of this list.
  mutating func remove(_ isOn: ObserverSwitch) -> Observer? {
    let place = isOn.place
    guard let observer = observers[place], observer.isOn === isOn else { return nil }
    observers[place] = nil
    gone += 1
    if gone > observers.count / 2 { closeRanks() }
    return observer
  }

  private mutating func closeRanks() {
    // One thread tells at a time, so there is one cursor to move along.
    cursor = observers[..<min(cursor, observers.count)].count { $0 != nil }
    observers.removeAll { $0 == nil }
    gone = 0
    for (place, observer) in observers.enumerated() { observer?.isOn.place = place }
  }

  /// The next observers whom event `number` concerns; from the first on if `isFirst`.
  mutating func next(_ number: Int, isFirst: Bool) -> Step {
    if isFirst { cursor = 0 }
    var step = Step()
    while cursor < observers.count {
      guard step.observers.count < Self.stepSize else {
        step.isLast = false
        break
      }
      if let observer = observers[cursor] {
        // Whoever came later is told of later events only.
        guard observer.since <= number else { break }
        step.observers.append(observer)
      }
      cursor += 1
    }
    return step
  }

  /// Calls `body` with each observer of an event that still wants to be told, in order.
  ///
  /// Without lock; `next` calls the function of that name under it, with whether it is the first
  /// call.
  static func forEach(
    next: (_ isFirst: Bool) -> Step?, _ body: (Handler) -> Void
  ) {
    var isFirst = true
    while let step = next(isFirst) {
      for observer in step.observers where observer.isOn.isOn { body(observer.handler) }
      if step.isLast { return }
      isFirst = false
    }
  }
}

/// The observers of one object by what they observe; none of the lists is empty.
struct ObserverLists<Subject: Hashable, Handler> {
  private var lists: [Subject: ObserverList<Handler>] = [:]

  func observes(_ subject: Subject) -> Bool { lists[subject] != nil }

  mutating func add(_ isOn: ObserverSwitch, since: Int, _ handler: Handler, of subject: Subject) {
    lists[subject, default: ObserverList()].add(isOn, since: since, handler)
  }

  /// Returns the observer for the caller to release after unlocking.
  mutating func remove(
    _ isOn: ObserverSwitch, of subject: Subject
  ) -> ObserverList<Handler>.Observer? {
    let removed = lists[subject]?.remove(isOn)
    if lists[subject]?.isEmpty == true { lists[subject] = nil }
    return removed ?? nil
  }

  /// The next observers whom event `number` concerns; see `ObserverList`.
  mutating func next(
    _ subject: Subject, _ number: Int, isFirst: Bool
  ) -> ObserverList<Handler>.Step? {
    lists[subject]?.next(number, isFirst: isFirst)
  }
}

/// Calls one observer of a property, whatever its values are.
struct ValueObserver<Observed: Sendable, Subject: Sendable>: Sendable {
  let subject: Subject
  /// Gets the old and the new value, and whether the observer has just come.
  let tell: @Sendable (Observed, any Sendable, any Sendable, _ isInitial: Bool) -> Void
  /// Reads the property, where nobody else knows its value.
  var read: (@Sendable (Observed) -> any Sendable)?

  init<Value: Sendable>(
    _ subject: Subject, _ handler: @escaping @Sendable (Observed, ObservedChange<Value>) -> Void
  ) {
    self.subject = subject
    tell = { observed, old, new, isInitial in
      guard let old = old as? Value, let new = new as? Value else {
        Fault.internalError("a change of \(observed) has a value of another type")
      }
      handler(observed, ObservedChange(oldValue: old, newValue: new, isInitial: isInitial))
    }
  }
}

/// What happened to one object, in order, told to its observers by one thread at a time.
///
/// A value under the lock that orders the object's transitions: whoever changes the object appends
/// in the same step. After unlocking he takes the events, unless somebody else is telling; that one
/// then comes back for them. So order needs no lock while handlers run. Page: Observation.md;
/// model: Tests/Models/observation.pml.
struct TransitionLog<Event> {
  private var events: [Event] = []
  /// Events that were taken before the first of `events`.
  private var taken = 0
  private var isTelling = false

  /// Events for one thread to tell.
  struct Portion {
    let first: Int
    let events: [Event]
  }

  /// The number of the next event.
  var nextNumber: Int { taken + events.count }

  mutating func append(_ event: Event) { events.append(event) }

  /// What the caller must tell now; nil when there is nothing, or somebody tells already.
  mutating func take() -> Portion? {
    guard !isTelling, !events.isEmpty else { return nil }
    isTelling = true
    let portion = Portion(first: taken, events: events)
    taken += events.count
    events = []
    return portion
  }

  /// The portion has been told.
  mutating func told() { isTelling = false }
}

extension TransitionLog: Sendable where Event: Sendable {}
extension TransitionLog.Portion: Sendable where Event: Sendable {}
extension ObserverList: Sendable where Handler: Sendable {}
extension ObserverLists: Sendable where Handler: Sendable, Subject: Sendable {}
extension ObserverList.Observer: Sendable where Handler: Sendable {}
extension ObserverList.Step: Sendable where Handler: Sendable {}
