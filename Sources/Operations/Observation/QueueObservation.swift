// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// A member with its place in the order of submission.
struct QueueMember: Sendable {
  let ticket: UInt64
  let operation: Operation
}

/// What happened to an observed queue.
enum QueueTransition: Sendable {
  case added([QueueMember])
  case removed(Operation)
  /// Who was a member when members began to be observed, or nobody when that ended.
  case members([QueueMember])
  case limit(Int, Int)
  case suspended(Bool, Bool)
  case name(String?, String?)
  /// This observer came, who wants to know what the property is.
  case initial(ObserverSwitch, QueueObserver, QueueInitialValue)
}

/// What an observer is told first who wants to know what the property is.
enum QueueInitialValue: Sendable {
  /// Known when it is told.
  case members
  case limit(Int)
  case suspended(Bool)
  case name(String?)
}

/// Calls one observer with a change of the property that he observes.
enum QueueObserver: Sendable {
  case operations(@Sendable (OperationQueue, ObservedChange<[Operation]>) -> Void)
  case count(@Sendable (OperationQueue, ObservedChange<Int>) -> Void)
  case limit(@Sendable (OperationQueue, ObservedChange<Int>) -> Void)
  case suspended(@Sendable (OperationQueue, ObservedChange<Bool>) -> Void)
  case name(@Sendable (OperationQueue, ObservedChange<String?>) -> Void)

  var property: QueueProperty {
    switch self {
    case .operations: .operations
    case .count: .count
    case .limit: .limit
    case .suspended: .suspended
    case .name: .name
    }
  }
}

/// The observable properties of a queue (contract 123).
enum QueueProperty: Hashable {
  case operations, count, limit, suspended, name

  var concernsMembers: Bool { self == .operations || self == .count }
}

/// Observers of a queue and what they have not been told.
struct QueueObservation: Sendable {
  typealias Observers = ObserverList<QueueObserver>
  var log = TransitionLog<QueueTransition>()
  /// None is empty.
  private var lists: [QueueProperty: Observers] = [:]
  /// Additions and removals are noted.
  var tracksMembers = false
  /// Additions and removals while it is being found out who is a member; they follow that in the
  /// log.
  var early: [QueueTransition]?

  /// Somebody observes members.
  var observesMembers: Bool { lists[.operations] != nil || lists[.count] != nil }

  mutating func add(_ isOn: ObserverSwitch, _ observer: QueueObserver) {
    lists[observer.property, default: Observers()].add(isOn, since: log.nextNumber, observer)
  }

  /// Returns the observer for the caller to release after unlocking.
  mutating func remove(
    _ isOn: ObserverSwitch, of property: QueueProperty
  ) -> Observers.Observer? {
    let removed = lists[property]?.remove(isOn)
    if lists[property]?.isEmpty == true { lists[property] = nil }
    return removed ?? nil
  }

  /// The next observers whom event `number` concerns; see `ObserverList`.
  mutating func next(
    _ property: QueueProperty, _ number: Int, isFirst: Bool
  ) -> Observers.Step? {
    lists[property]?.next(number, isFirst: isFirst)
  }

  /// Notes an addition or a removal.
  mutating func noteMembers(_ transition: QueueTransition) {
    guard tracksMembers else { return }
    if early != nil { early?.append(transition) } else { log.append(transition) }
  }
}

extension OperationQueue {
  // MARK: Registering

  /// - Parameter isOn: its switch, where the handler looks at it as well.
  func attach(
    _ observer: QueueObserver, _ isOn: ObserverSwitch = ObserverSwitch(), wantsInitial: Bool = false
  ) -> Observation {
    let extras = extrasMade()
    let property = observer.property
    var begins = false
    let add: (inout QueueObservation, QueueInitialValue) -> Void = { observation, initial in
      observation.add(isOn, observer)
      if property.concernsMembers, !observation.tracksMembers {
        observation.tracksMembers = true
        observation.early = []
        begins = true
      }
      guard wantsInitial else { return }
      let event = QueueTransition.initial(isOn, observer, initial)
      if property.concernsMembers {
        observation.noteMembers(event)
      } else {
        observation.log.append(event)
      }
    }
    // Under the lock that orders the changes, so that the next one finds the extras.
    switch observer {
    case .operations, .count: extras.observation.withLock { add(&$0, .members) }
    case .limit:
      control.withLock { control in
        extras.observation.withLock { add(&$0, .limit(control.limit)) }
      }
    case .suspended:
      control.withLock { _ in
        extras.observation.withLock { add(&$0, .suspended(isSuspendedNow)) }
      }
    case .name:
      let generated = generatedName
      attributes.withLock { attributes in
        extras.observation.withLock { add(&$0, .name(attributes.name ?? generated)) }
      }
    }
    if begins { noteMembersAtTheBeginning(extras) } else if wantsInitial { tellObservers() }
    return Observation(isOn) { [weak self] in self?.detach(isOn, of: property) }
  }

  /// Whoever joins or leaves after the enumeration has looked finds the extras; see Observation.md.
  private func noteMembersAtTheBeginning(_ extras: QueueExtras) {
    let members = registry.membersWithTickets(waiting: true)
    extras.observation.withLock { observation in
      observation.log.append(.members(members))
      for transition in observation.early ?? [] { observation.log.append(transition) }
      observation.early = nil
    }
    tellObservers()
  }

  private func detach(_ isOn: ObserverSwitch, of property: QueueProperty) {
    guard let extras = extrasIfAny else { return }
    let removed = extras.observation.withLock { observation in
      let removed = observation.remove(isOn, of: property)
      if !observation.observesMembers, observation.tracksMembers, observation.early == nil {
        observation.tracksMembers = false
        observation.log.append(.members([]))
      }
      return removed
    }
    // Its captures go without the lock.
    withExtendedLifetime(removed) {}
    tellObservers()
  }

  // MARK: Noting

  func noteLimit(from old: Int, to new: Int) {
    if old != new { note(.limit(old, new)) }
  }

  func noteSuspension(from old: Bool, to new: Bool) {
    if old != new { note(.suspended(old, new)) }
  }

  func noteName(from old: String?, to new: String?) {
    if old != new { note(.name(old, new)) }
  }

  private func note(_ transition: QueueTransition) {
    extrasIfAny?.observation.withLock { $0.log.append(transition) }
  }

  // MARK: Telling; without lock

  /// Tells the observers what was noted, unless another thread is doing so and will find the rest.
  func tellObservers() {
    guard let extras = extrasIfAny else { return }
    while let portion = extras.observation.withLock({ $0.log.take() }) {
      for (index, event) in portion.events.enumerated() {
        tell(event, portion.first + index, extras)
      }
      extras.observation.withLock { $0.log.told() }
    }
  }

  /// Tells event `number`.
  private func tell(_ transition: QueueTransition, _ number: Int, _ extras: QueueExtras) {
    switch transition {
    case .members(let members): extras.toldMembers = members
    case .added(let members): tellAddition(of: members, number, extras)
    case .removed(let operation): tellRemoval(of: operation, number, extras)
    case .initial(let isOn, let observer, let value):
      if isOn.isOn { tellInitial(value, observer, extras) }
    case .limit(let old, let new):
      forEachObserver(of: .limit, number, extras) { observer in
        guard case .limit(let handler) = observer else { return }
        handler(self, ObservedChange(oldValue: old, newValue: new))
      }
    case .suspended(let old, let new):
      forEachObserver(of: .suspended, number, extras) { observer in
        guard case .suspended(let handler) = observer else { return }
        handler(self, ObservedChange(oldValue: old, newValue: new))
      }
    case .name(let old, let new):
      forEachObserver(of: .name, number, extras) { observer in
        guard case .name(let handler) = observer else { return }
        handler(self, ObservedChange(oldValue: old, newValue: new))
      }
    }
  }

  /// Calls `body` with each observer of `property` whom event `number` concerns.
  private func forEachObserver(
    of property: QueueProperty, _ number: Int, _ extras: QueueExtras,
    _ body: (QueueObserver) -> Void
  ) {
    QueueObservation.Observers.forEach { isFirst in
      extras.observation.withLock { $0.next(property, number, isFirst: isFirst) }
    } _: {
      body($0)
    }
  }

  /// Tells an observer that has come what the property is.
  private func tellInitial(
    _ value: QueueInitialValue, _ observer: QueueObserver, _ extras: QueueExtras
  ) {
    func same<Value>(_ value: Value) -> ObservedChange<Value> {
      ObservedChange(oldValue: value, newValue: value, isInitial: true)
    }
    switch (observer, value) {
    case (.operations(let handler), _): handler(self, same(extras.toldMembers.map(\.operation)))
    case (.count(let handler), _): handler(self, same(extras.toldMembers.count))
    case (.limit(let handler), .limit(let limit)): handler(self, same(limit))
    case (.suspended(let handler), .suspended(let isSuspended)): handler(self, same(isSuspended))
    case (.name(let handler), .name(let name)): handler(self, same(name))
    default: Fault.internalError("an observer of \(self) was to be told another property first")
    }
  }

  /// Those among `members` that the enumeration at the beginning has found already are known.
  private func tellAddition(
    of members: [QueueMember], _ number: Int, _ extras: QueueExtras
  ) {
    let old = extras.toldMembers
    for member in members {
      // The newest is last.
      let place = extras.toldMembers.lastIndex { $0.ticket <= member.ticket }
      if let place, extras.toldMembers[place].ticket == member.ticket { continue }
      extras.toldMembers.insert(member, at: place.map { $0 + 1 } ?? 0)
    }
    tellMembers(from: old, number, extras)
  }

  private func tellRemoval(of operation: Operation, _ number: Int, _ extras: QueueExtras) {
    let old = extras.toldMembers
    guard let place = old.firstIndex(where: { $0.operation === operation }) else { return }
    extras.toldMembers.remove(at: place)
    tellMembers(from: old, number, extras)
  }

  private func tellMembers(from old: [QueueMember], _ number: Int, _ extras: QueueExtras) {
    let new = extras.toldMembers
    guard old.count != new.count else { return }
    forEachObserver(of: .operations, number, extras) { observer in
      guard case .operations(let handler) = observer else { return }
      handler(
        self, ObservedChange(oldValue: old.map(\.operation), newValue: new.map(\.operation)))
    }
    forEachObserver(of: .count, number, extras) { observer in
      guard case .count(let handler) = observer else { return }
      handler(self, ObservedChange(oldValue: old.count, newValue: new.count))
    }
  }
}
