// SPDX-License-Identifier: Apache-2.0

/// Calls closures at given moments, all on one thread that sleeps until the next moment is due.
///
/// While a closure runs, another thread takes over the sleeping, so that one that takes long delays
/// no other; two threads are kept, more exist only while more than one closure runs.
package final class Deadlines: Sendable {
  /// Names a closure that was scheduled.
  package struct Ticket: Hashable, Sendable { fileprivate let number: UInt64 }

  /// The deadlines of the process.
  package static let shared = Deadlines()

  private let agenda = Locked(Agenda())

  /// Nothing scheduled, and no thread until something is.
  package init() {}

  /// Calls `action` on a thread of its own once `moment` on `MonotonicTime` has come.
  ///
  /// Any thread. Closures run in the order of their moments, but the next does not wait for the
  /// last to return. They are released when they were called or cancelled. O(log scheduled).
  package func schedule(at moment: UInt64, _ action: @escaping @Sendable () -> Void) -> Ticket {
    let (ticket, step) = agenda.withLock { $0.add(moment, action) }
    perform(step, canWait: false)
    return ticket
  }

  /// Takes a closure back; false when it was called, is being called or was cancelled already.
  @discardableResult package func cancel(_ ticket: Ticket) -> Bool {
    // Released outside the lock.
    let action = agenda.withLock { $0.remove(ticket) }
    return action != nil
  }

  /// How many closures are scheduled.
  package var count: Int { agenda.withLock { $0.count } }

  /// Carries out what a change of the agenda asks for; without a thread for it the caller does it
  /// later if it can.
  private func perform(_ step: Agenda.Step, canWait: Bool) {
    switch step {
    case .nothing: break
    case .wake(let parker): parker.unpark()
    case .startThread(let parker):
      do {
        _ = try SystemThread.start(name: "deadlines") { self.serve(parker) }
      } catch {
        guard canWait else { fatalError("a deadline cannot be kept: \(error)") }
        agenda.withLock { $0.leaderIsGone() }
      }
    }
  }

  /// What a thread does that `parker` blocks.
  private func serve(_ parker: Parker) {
    while true {
      switch agenda.withLock({ $0.nextTurn(of: parker, at: MonotonicTime.nanoseconds()) }) {
      case .sleep(let moment): _ = parker.park(until: moment)
      case .call(let action, let successor):
        perform(successor, canWait: true)
        action()
      case .end: return
      }
    }
  }
}

/// What is scheduled and who sleeps; a plain value.
private struct Agenda: Sendable {
  /// What the caller of a change must do once the lock is given up.
  enum Step {
    case nothing
    case wake(Parker)
    case startThread(Parker)
  }

  /// What a thread does next.
  enum Turn {
    case sleep(until: UInt64?)
    case call(@Sendable () -> Void, successor: Step)
    case end
  }

  private var moments = MinHeap<Moment>()
  private var actions: [UInt64: @Sendable () -> Void] = [:]
  private var next: UInt64 = 0
  /// Who sleeps until the next moment.
  private var leader: Parker?
  /// Who sleeps until it becomes the leader.
  private var follower: Parker?

  var count: Int { actions.count }

  mutating func add(
    _ moment: UInt64, _ action: @escaping @Sendable () -> Void
  ) -> (Deadlines.Ticket, Step) {
    next += 1
    actions[next] = action
    moments.insert(Moment(moment: moment, number: next))
    let ticket = Deadlines.Ticket(number: next)
    guard let leader else { return (ticket, appointLeader()) }
    return (ticket, moments.first?.number == next ? .wake(leader) : .nothing)
  }

  mutating func remove(_ ticket: Deadlines.Ticket) -> (@Sendable () -> Void)? {
    let action = actions.removeValue(forKey: ticket.number)
    // Moments of closures that are gone stay until they are due or the majority.
    if moments.count > 64, moments.count > 2 * actions.count {
      moments.removeAll { actions[$0.number] == nil }
    }
    return action
  }

  mutating func nextTurn(of parker: Parker, at now: UInt64) -> Turn {
    if leader == nil {
      leader = parker
      if follower === parker { follower = nil }
    }
    guard leader === parker else {
      if follower == nil { follower = parker }
      return follower === parker ? .sleep(until: nil) : .end
    }
    while let first = moments.first {
      guard let action = actions[first.number] else {
        moments.popFirst()
        continue
      }
      guard first.moment <= now else { return .sleep(until: first.moment) }
      moments.popFirst()
      actions[first.number] = nil
      leader = nil
      return .call(action, successor: moments.first == nil ? .nothing : appointLeader())
    }
    return .sleep(until: nil)
  }

  mutating func leaderIsGone() { leader = nil }

  private mutating func appointLeader() -> Step {
    if let follower {
      leader = follower
      self.follower = nil
      return .wake(follower)
    }
    let parker = Parker()
    leader = parker
    return .startThread(parker)
  }
}

/// When the closure of a ticket is due; the earliest first, among equal ones the lowest number.
private struct Moment: Comparable, Sendable {
  let moment: UInt64
  let number: UInt64

  static func < (one: Self, other: Self) -> Bool {
    (one.moment, one.number) < (other.moment, other.number)
  }
}
