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
  case initial(ObserverSwitch, QueueInitialValue)
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

  var observesMembers: Bool {
    switch self {
    case .operations, .count: true
    case .limit, .suspended, .name: false
    }
  }
}

/// Observers of a queue and what they have not been told.
struct QueueObservation: Sendable {
  var log = TransitionLog<QueueTransition, QueueObserver>()
  /// Additions and removals are noted.
  var tracksMembers = false
  /// Additions and removals while it is being found out who is a member; they follow that in the log.
  var early: [QueueTransition]?
  /// How many observe members.
  private(set) var memberObservers = 0

  mutating func add(_ isOn: ObserverSwitch, _ observer: QueueObserver) {
    log.add(isOn, observer)
    if observer.observesMembers { memberObservers += 1 }
  }

  /// Returns the observer for the caller to release after unlocking.
  mutating func remove(
    _ isOn: ObserverSwitch
  ) -> TransitionLog<QueueTransition, QueueObserver>.Observer? {
    let removed = log.remove(isOn)
    if let removed, removed.handler.observesMembers { memberObservers -= 1 }
    return removed
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
    var begins = false
    let add: (inout QueueObservation, QueueInitialValue) -> Void = { observation, initial in
      observation.add(isOn, observer)
      if observer.observesMembers, !observation.tracksMembers {
        observation.tracksMembers = true
        observation.early = []
        begins = true
      }
      guard wantsInitial else { return }
      if observer.observesMembers {
        observation.noteMembers(.initial(isOn, initial))
      } else {
        observation.log.append(.initial(isOn, initial))
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
    return Observation(isOn) { [weak self] in self?.detach(isOn) }
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

  private func detach(_ isOn: ObserverSwitch) {
    guard let extras = extrasIfAny else { return }
    let removed = extras.observation.withLock { observation in
      let removed = observation.remove(isOn)
      if observation.memberObservers == 0, observation.tracksMembers, observation.early == nil {
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
      for index in portion.events.indices {
        tell(portion.events[index], portion.audience(index), extras)
      }
      extras.observation.withLock { $0.log.told() }
    }
  }

  private typealias Audience = [TransitionLog<QueueTransition, QueueObserver>.Observer]

  private func tell(_ transition: QueueTransition, _ audience: Audience, _ extras: QueueExtras) {
    switch transition {
    case .members(let members): extras.toldMembers = members
    case .added(let members): tellAddition(of: members, audience, extras)
    case .removed(let operation): tellRemoval(of: operation, audience, extras)
    case .initial(let isOn, let value):
      guard let observer = audience.first(where: { $0.isOn === isOn }) else { return }
      tellInitial(value, observer.handler, extras)
    case .limit(let old, let new):
      for observer in audience {
        guard case .limit(let handler) = observer.handler, observer.isOn.isOn else { continue }
        handler(self, ObservedChange(oldValue: old, newValue: new))
      }
    case .suspended(let old, let new):
      for observer in audience {
        guard case .suspended(let handler) = observer.handler, observer.isOn.isOn else { continue }
        handler(self, ObservedChange(oldValue: old, newValue: new))
      }
    case .name(let old, let new):
      for observer in audience {
        guard case .name(let handler) = observer.handler, observer.isOn.isOn else { continue }
        handler(self, ObservedChange(oldValue: old, newValue: new))
      }
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
    of members: [QueueMember], _ audience: Audience, _ extras: QueueExtras
  ) {
    let old = extras.toldMembers
    for member in members {
      // The newest is last.
      let place = extras.toldMembers.lastIndex { $0.ticket <= member.ticket }
      if let place, extras.toldMembers[place].ticket == member.ticket { continue }
      extras.toldMembers.insert(member, at: place.map { $0 + 1 } ?? 0)
    }
    tellMembers(from: old, audience, extras)
  }

  private func tellRemoval(of operation: Operation, _ audience: Audience, _ extras: QueueExtras) {
    let old = extras.toldMembers
    guard let place = old.firstIndex(where: { $0.operation === operation }) else { return }
    extras.toldMembers.remove(at: place)
    tellMembers(from: old, audience, extras)
  }

  private func tellMembers(
    from old: [QueueMember], _ audience: Audience, _ extras: QueueExtras
  ) {
    let new = extras.toldMembers
    guard old.count != new.count else { return }
    for observer in audience {
      guard case .operations(let handler) = observer.handler, observer.isOn.isOn else { continue }
      handler(
        self,
        ObservedChange(oldValue: old.map(\.operation), newValue: new.map(\.operation)))
    }
    for observer in audience {
      guard case .count(let handler) = observer.handler, observer.isOn.isOn else { continue }
      handler(self, ObservedChange(oldValue: old.count, newValue: new.count))
    }
  }
}
