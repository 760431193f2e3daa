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
  /// What else can be observed has changed from one value to another.
  case changed(QueueProperty, any Sendable, any Sendable)
  /// This observer came, who wants to know what the property is; what concerns members is known when
  /// it is told.
  case initial(ObserverSwitch, QueueObserver, (any Sendable)?)
}

typealias QueueObserver = ValueObserver<OperationQueue, QueueProperty>

/// The observable properties of a queue (contract 123).
enum QueueProperty: Hashable, Sendable {
  case operations, count, limit, suspended, name

  var concernsMembers: Bool { self == .operations || self == .count }
}

/// Observers of a queue and what they have not been told.
struct QueueObservation: Sendable {
  var log = TransitionLog<QueueTransition>()
  var lists = ObserverLists<QueueProperty, QueueObserver>()
  /// Additions and removals are noted.
  var tracksMembers = false
  /// Additions and removals while it is being found out who is a member; they follow that in the
  /// log.
  var early: [QueueTransition]?

  /// Somebody observes members.
  var observesMembers: Bool { lists.observes(.operations) || lists.observes(.count) }

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
    let property = observer.subject
    var begins = false
    let add: (inout QueueObservation, (any Sendable)?) -> Void = { observation, initial in
      observation.lists.add(isOn, since: observation.log.nextNumber, observer, of: property)
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
    switch property {
    case .operations, .count: extras.observation.withLock { add(&$0, nil) }
    case .limit:
      control.withLock { control in extras.observation.withLock { add(&$0, control.limit) } }
    case .suspended:
      control.withLock { _ in extras.observation.withLock { add(&$0, isSuspendedNow) } }
    case .name:
      let generated = generatedName
      attributes.withLock { attributes in
        extras.observation.withLock { add(&$0, attributes.name ?? generated) }
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
      let removed = observation.lists.remove(isOn, of: property)
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

  /// Under the lock that orders the changes of the property.
  func note<Value: Equatable & Sendable>(
    _ property: QueueProperty, from old: Value, to new: Value
  ) {
    guard old != new else { return }
    extrasIfAny?.observation.withLock { $0.log.append(.changed(property, old, new)) }
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
    case .changed(let property, let old, let new):
      tellChange(of: property, from: old, to: new, number, extras)
    }
  }

  private func tellChange(
    of property: QueueProperty, from old: any Sendable, to new: any Sendable, _ number: Int,
    _ extras: QueueExtras
  ) {
    ObserverList.forEach { isFirst in
      extras.observation.withLock { $0.lists.next(property, number, isFirst: isFirst) }
    } _: { observer in
      observer.tell(self, old, new, false)
    }
  }

  /// Tells an observer that has come what the property is.
  private func tellInitial(
    _ value: (any Sendable)?, _ observer: QueueObserver, _ extras: QueueExtras
  ) {
    let members = extras.toldMembers
    let value: any Sendable =
      value ?? (observer.subject == .count ? members.count : members.map(\.operation))
    observer.tell(self, value, value, true)
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
    tellChange(
      of: .operations, from: old.map(\.operation), to: new.map(\.operation), number, extras)
    tellChange(of: .count, from: old.count, to: new.count, number, extras)
  }
}
