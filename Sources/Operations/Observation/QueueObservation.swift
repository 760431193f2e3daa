// SPDX-License-Identifier: Apache-2.0

/// A member with its place in the order of submission.
struct QueueMember: Sendable {
  let ticket: UInt64
  let operation: Operation
}

/// The observable properties of a queue (contract 123).
enum QueueProperty: Sendable {
  case operations, count, limit, suspended, name
}

/// Whether additions and removals are noted, since somebody observes members.
struct MemberTracking: Sendable {
  var isOn = false
  /// What is noted while it is being found out who is a member; it follows that in the log.
  var early: [Notices<QueueProperty>.Event]?
}

extension QueueExtras {
  /// Notes a change of the members, which is made when it is told.
  func noteMembers(_ change: @escaping @Sendable (inout [QueueMember]) -> Void) {
    tracking.withLock { tracking in
      guard tracking.isOn else { return }
      let lists = notices.observers(of: .operations)
      let counts = notices.observers(of: .count)
      note(&tracking) { [self] in
        let old = toldMembers
        change(&toldMembers)
        let new = toldMembers
        guard old.count != new.count else { return }
        for observer in lists {
          observer.tell(from: old.map(\.operation), to: new.map(\.operation))
        }
        for observer in counts { observer.tell(from: old.count, to: new.count) }
      }
    }
  }

  private func note(_ tracking: inout MemberTracking, _ event: @escaping @Sendable () -> Void) {
    if tracking.early != nil { tracking.early?.append(event) } else { notices.note(event) }
  }

  /// Adds an observer of members; true if they are tracked from here on.
  fileprivate func attachToMembers(_ observer: Observer, of property: QueueProperty) -> Bool {
    tracking.withLock { tracking in
      notices.add(observer, of: property)
      let begins = !tracking.isOn
      if begins { tracking = MemberTracking(isOn: true, early: []) }
      if observer.options.contains(.initial) {
        note(&tracking) { [self] in
          let members = toldMembers.map(\.operation)
          observer.tell(initial: property == .count ? members.count : members)
        }
      }
      return begins
    }
  }

  /// Adds an observer of what is `value` now; under the lock that orders its changes.
  fileprivate func attach(_ observer: Observer, of property: QueueProperty, now value: any Sendable)
  {
    notices.add(observer, of: property)
    if observer.options.contains(.initial) { notices.note { observer.tell(initial: value) } }
  }

  /// An observer has ended.
  fileprivate func forgetOne(of property: QueueProperty) {
    tracking.withLock { tracking in
      notices.forgetOne(of: property)
      let isWanted = notices.observes(.operations) || notices.observes(.count)
      guard tracking.isOn, tracking.early == nil, !isWanted else { return }
      tracking.isOn = false
      notices.note { [self] in toldMembers = [] }
    }
    notices.tell()
  }
}

extension OperationQueue {
  /// Calls `handler` with the old and the new value whenever the property changes (contract
  /// 123–126).
  ///
  /// For `operations`, `operationCount`, `maxConcurrentOperationCount`, `isSuspended` and `name`;
  /// another property stops the process. All changes after the call are told in order, one at a
  /// time, none left out and none twice, each on the thread that made it, or on one that is still
  /// telling an earlier one; a batch is one change. No lock is held; the handler may use the whole
  /// interface but for waiting for this queue. Dropping the result ends the observation. Observers
  /// of `operations` are told before those of `operationCount`. While somebody observes either, a
  /// change costs O(operations), and a closure that is added gets an operation object at once.
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<OperationQueue, Value>,
    handler: @escaping @Sendable (OperationQueue, ObservedChange<Value>) -> Void
  ) -> Observation {
    observe(keyPath, options: [.old, .new]) { queue, change in
      if let change = ObservedChange(change) { handler(queue, change) }
    }
  }

  /// Calls `changeHandler` when the property changes, as `options` say; Foundation's spelling.
  ///
  /// For what `observe(_:handler:)` takes, in the same order and on the same threads. With
  /// `ObservingOptions.initial` the first call comes before this one returns, unless another thread
  /// is still telling an earlier event of this queue: then that one makes it.
  public func observe<Value: Sendable>(
    _ keyPath: KeyPath<OperationQueue, Value>, options: ObservingOptions,
    changeHandler: @escaping @Sendable (OperationQueue, KeyValueChange<Value>) -> Void
  ) -> Observation {
    let observer = Observer(options) { [weak self] (change: KeyValueChange<Value>) in
      if let self { changeHandler(self, change) }
    }
    return attach(observer, of: property(at: keyPath))
  }

  private func property(at keyPath: AnyKeyPath) -> QueueProperty {
    switch keyPath {
    case \OperationQueue.operations: .operations
    case \OperationQueue.operationCount: .count
    case \OperationQueue.maxConcurrentOperationCount: .limit
    case \OperationQueue.isSuspended: .suspended
    case \OperationQueue.name: .name
    default:
      Fault.notObservable(
        Fault.name(of: keyPath), of: "queue \"\(storedName)\"",
        "operations, operationCount, maxConcurrentOperationCount, isSuspended and name")
    }
  }

  private func attach(_ observer: Observer, of property: QueueProperty) -> Observation {
    let extras = extrasMade()
    var begins = false
    // Under the lock that orders the changes, so that the next one finds the extras.
    switch property {
    case .operations, .count: begins = extras.attachToMembers(observer, of: property)
    case .limit: control.withLock { extras.attach(observer, of: .limit, now: $0.limit) }
    case .suspended:
      control.withLock { _ in extras.attach(observer, of: .suspended, now: isSuspendedNow) }
    case .name:
      let generated = generatedName
      attributes.withLock { extras.attach(observer, of: .name, now: $0.name ?? generated) }
    }
    if begins { noteMembersAtTheBeginning(extras) }
    extras.notices.tell()
    return Observation(observer) { [weak extras] in extras?.forgetOne(of: property) }
  }

  /// Whoever joins or leaves after the enumeration has looked finds the extras; see Observation.md.
  private func noteMembersAtTheBeginning(_ extras: QueueExtras) {
    let members = registry.membersWithTickets(waiting: true)
    // What was noted early goes after the lock: it may have been told by then, and what dies with
    // it is the user's.
    _ = extras.tracking.withLock { tracking in
      extras.notices.note { extras.toldMembers = members }
      for event in tracking.early ?? [] { extras.notices.note(event) }
      return tracking.early.take()
    }
  }

  /// Under the lock that orders the changes of the property.
  func note<Value: Equatable & Sendable>(
    _ property: QueueProperty, from old: Value, to new: Value
  ) {
    if old != new { extrasIfAny?.notices.note(property, from: old, to: new) }
  }

  /// Tells the observers what was noted, unless another thread is doing so and will find the rest.
  func tellObservers() { extrasIfAny?.notices.tell() }
}
