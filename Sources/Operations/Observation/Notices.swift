// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives

/// Somebody who is told of one property of one object.
final class Observer: Sendable {
  /// What a call of the handler stands for.
  private enum Moment { case initial, prior, change }
  private struct State: Sendable {
    /// nil once nobody wants to be told any more.
    var handler: (@Sendable (any Sendable, any Sendable, Moment) -> Void)?
  }

  let options: ObservingOptions
  private let state: Locked<State>

  init<Value: Sendable>(
    _ options: ObservingOptions, _ handler: @escaping @Sendable (KeyValueChange<Value>) -> Void
  ) {
    self.options = options
    state = Locked(
      State { old, new, moment in
        guard let old = old as? Value, let new = new as? Value else {
          Fault.internalError("a change from \(old) to \(new) has another type than its property")
        }
        handler(
          KeyValueChange(
            newValue: options.contains(.new) && moment != .prior ? new : nil,
            oldValue: options.contains(.old) && moment != .initial ? old : nil,
            isPrior: moment == .prior))
      })
  }

  /// Tells what the property is, with no lock held.
  func tell(initial value: any Sendable) { call(value, value, .initial) }

  /// Tells a change of the property, with no lock held.
  func tell(from old: any Sendable, to new: any Sendable) {
    if options.contains(.prior) { call(old, new, .prior) }
    // The first call may have ended it.
    call(old, new, .change)
  }

  private func call(_ old: any Sendable, _ new: any Sendable, _ moment: Moment) {
    state.withLock { $0.handler }?(old, new, moment)
  }

  /// Lets go of the handler; true for the first caller.
  func end() -> Bool { state.withLock { $0.handler.take() } != nil }

  var hasEnded: Bool { state.withLock { $0.handler == nil } }
}

/// Who observes the properties of one object, and what they have not been told.
///
/// Whoever changes the object notes that in the same step, under the lock that orders the changes
/// of the property; an event is told to those who had come by then. After unlocking he tells all
/// events, unless somebody else is telling; that one then comes back for them. So order needs no
/// lock while handlers run. Page: Observation.md; model: Tests/Models/observation.pml.
final class Notices<Property: Equatable & Sendable>: Sendable {
  /// Tells observers something that has happened.
  typealias Event = @Sendable () -> Void

  /// Those who observe one property, in the order in which they came.
  private struct ObserverList: Sendable {
    let property: Property
    /// Includes some that have ended.
    var observers: [Observer] = []
    var living = 0
  }
  private struct Contents: Sendable {
    /// Of the properties that somebody observes, which are few.
    var lists: [ObserverList] = []
    var events: [Event] = []
    var isTelling = false

    func index(of property: Property) -> Int? {
      lists.firstIndex { $0.property == property }
    }
  }
  private let state = Locked(Contents())

  // MARK: Observers

  /// Those who observe the property, in the order in which they came; O(observed properties).
  func observers(of property: Property) -> [Observer] {
    state.withLock { state in
      state.index(of: property).map { state.lists[$0].observers } ?? []
    }
  }

  /// Adds an observer of what is noted from here on, and says whether it is the only one;
  /// O(observed properties) amortised.
  @discardableResult func add(_ observer: Observer, of property: Property) -> Bool {
    state.withLock { state in
      let index = state.index(of: property) ?? state.lists.endIndex
      if index == state.lists.endIndex { state.lists.append(ObserverList(property: property)) }
      state.lists[index].observers.append(observer)
      state.lists[index].living += 1
      return state.lists[index].living == 1
    }
  }

  /// An observer of the property has ended; O(observed properties) amortised.
  func forgetOne(of property: Property) {
    state.withLock { state in
      guard let index = state.index(of: property) else { return }
      state.lists[index].living -= 1
      let living = state.lists[index].living
      if living == 0 {
        state.lists.remove(at: index)
      } else if state.lists[index].observers.count > 2 * living {
        state.lists[index].observers.removeAll(where: \.hasEnded)
      }
    }
  }

  func observes(_ property: Property) -> Bool { state.withLock { $0.index(of: property) != nil } }

  // MARK: Noting; under the lock that orders the changes

  func note(_ event: @escaping Event) { state.withLock { $0.events.append(event) } }

  /// The property has changed from one value to another.
  func note(_ property: Property, from old: any Sendable, to new: any Sendable) {
    let observers = observers(of: property)
    if observers.isEmpty { return }
    note { for observer in observers { observer.tell(from: old, to: new) } }
  }

  // MARK: Telling; with no lock held

  /// Tells what was noted, unless another thread is telling and will find it.
  func tell() {
    while let events = take() {
      for event in events { event() }
      state.withLock { $0.isTelling = false }
    }
  }

  private func take() -> [Event]? {
    state.withLock { state in
      guard !state.isTelling, !state.events.isEmpty else { return nil }
      state.isTelling = true
      return exchange(&state.events, with: [])
    }
  }
}
