// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling

/// Something of which there is only so much: operations that need it take it when they start and
/// give it back when they have finished.
///
/// With capacity 1 it excludes operations from each other, with more it lets in as many as their
/// amounts allow. Nothing is an edge: an operation is ready although its resources are in use, and
/// any order of starting may come about. It takes all it needs in one step or nothing, so
/// operations never block each other with a part; those that find too little wait in the order in
/// which they came, without a worker and without a slot of their queue. Whoever's turn comes gets
/// the resource together with a slot of its queue, and nobody passes it; where that has no free
/// slot, or is suspended, it goes to wait for one and loses its turn. So nothing is ever kept by
/// what waits for more than a worker; a limit or a suspension that comes afterwards counts it as
/// executing. Shared by queues and schedulers at will.
public final class OperationResource: Sendable {
  /// What diagnostics call it.
  public let name: String
  /// How much of it there is, 1 or more.
  public let capacity: Int
  fileprivate let line = Line()

  /// A resource of which `capacity` units may be in use at the same time; a capacity below 1 stops
  /// the process.
  public init(name: String, capacity: Int = 1) {
    guard capacity >= 1 else {
      Fault.stop(
        "resource \"\(name)\" was made with capacity \(capacity); expected 1 or more, since nothing could ever use it"
      )
    }
    self.name = name
    self.capacity = capacity
  }

  /// Units in use now; a snapshot.
  public var used: Int { ResourceArbiter.requests.withLock { _ in line.used } }
  /// Operations that wait for this resource now; a snapshot.
  public var waiting: Int { ResourceArbiter.requests.withLock { $0.waiting(for: self) } }
}

extension Operation {
  /// Makes the operation take `amount` units of a resource for as long as it executes.
  ///
  /// Any thread, until the operation waits for what it has named or has started. Amounts of one
  /// resource add up. More than there is, less than one unit or a call that comes too late stop the
  /// process; `tryRequire(_:amount:)` throws instead.
  public final func require(_ resource: OperationResource, amount: Int = 1) {
    do { try tryRequire(resource, amount: amount) } catch { error.fault("require(_:amount:)") }
  }

  /// As `require(_:amount:)`, but throws `badAmount`, `alreadyExecuting`, `alreadyFinished` or
  /// `resourcesAskedFor`.
  public final func tryRequire(
    _ resource: OperationResource, amount: Int = 1
  ) throws(OperationError) {
    let table = coldTableMade()
    let bits = lockState()
    let before = table.needs.first { $0.resource === resource }?.amount ?? 0
    let (sum, isTooLarge) = amount.addingReportingOverflow(before)
    let total = isTooLarge ? .max : sum
    let isStarted = bits & StateBit.started != 0
    // What waits for its resources or holds them has asked for what it had named.
    let isLate = isStarted || table.waitsForResources || table.holdsResources
    let isLegal = amount >= 1 && !isTooLarge && total <= resource.capacity
    if isLegal, !isLate {
      table.needs.removeAll { $0.resource === resource }
      table.needs.append(ResourceNeed(resource: resource, amount: total))
    }
    unlockState(isLegal && !isLate ? StateChange.needResources(bits) : bits)
    if isLate {
      throw isSealed || isStarted ? lateEditError : .resourcesAskedFor(self)
    }
    guard isLegal else { throw .badAmount(self, resource: resource, amount: total) }
  }

  /// The resources that the operation takes when it starts, in the order named.
  public final var requiredResources: [OperationResource] {
    withColdTable { $0.needs.map(\.resource) } ?? []
  }

  /// What it waits for while it stands in line: the only one that has a resource which it needs, or
  /// the first in its line.
  package final var resourceBlockers: [Operation] {
    ResourceArbiter.requests.withLock { $0.blockers(of: self) }
  }
}

/// How much of what.
struct ResourceNeed: Sendable {
  let resource: OperationResource
  var amount: Int
}

/// An operation in line.
struct ResourceRequest: Sendable {
  let operation: Operation
  let needs: [ResourceNeed]
}

/// What becomes of an operation whose turn has come.
struct ResourceDecision: Sendable {
  let request: ResourceRequest
  /// It has its resources, and a slot of this queue; nil when it has left the lines, to wait for a
  /// slot first.
  let slot: OperationQueue?
}

/// Who uses how much of a resource, and who waits for it; under the lock of `ResourceArbiter`.
private final class Line: @unchecked Sendable {
  var used = 0
  /// Who uses it, by how many grants: one that is not kept may be given back after the next.
  var holders: [ObjectIdentifier: (operation: Operation, grants: Int)] = [:]
  /// Tickets in the order drawn; those from `head` on, but for withdrawn ones, wait.
  var tickets: [UInt64] = []
  var head = 0
}

/// Decides who gets which resources: one lock for all, so that taking several is one step.
///
/// An operation is granted its request when it is the first in the line of each resource, there is
/// enough of all, and its queue has a slot for it; without that it leaves the lines. Of all that
/// wait the one that came first heads every line it stands in, so it waits only for operations that
/// execute. Calls of operations follow after the lock.
enum ResourceArbiter {
  fileprivate static let requests = Locked(ResourceRequests())

  /// Takes everything, or nothing: then the operation stands in line, if it `waits`, and will be
  /// told.
  static func take(_ needs: [ResourceNeed], for operation: Operation, waits: Bool) -> Bool {
    requests.withLock { $0.take(needs, for: operation, waits: waits) }
  }

  /// Gives back everything that an operation has, and tells those who have got it.
  static func giveBack(_ needs: [ResourceNeed], of operation: Operation) {
    tell(requests.withLock { $0.giveBack(needs, of: operation) })
  }

  /// The operation leaves the line.
  static func withdraw(_ operation: Operation) {
    tell(requests.withLock { $0.withdraw(operation) })
  }

  /// Tells operations what was decided, and those in turn who get what they do not keep; a loop,
  /// since a whole line may keep nothing.
  ///
  /// Hands over what other threads run, once everything is decided: an operation that does not keep
  /// a grant has given it back by then, and may ask anew. What would run inside of the call is
  /// owed: its body may wait for anything that the caller still has to do.
  private static func tell(_ decisions: [ResourceDecision]) {
    guard !decisions.isEmpty else { return }
    var decisions = decisions
    var jobs = JobChain()
    var next = 0
    while next < decisions.count {
      let decision = decisions[next]
      let request = decision.request
      next += 1
      let turn = request.operation.settleTurn(decision)
      if let job = turn.job { jobs.append(job) }
      guard decision.slot != nil, !turn.isKept else { continue }
      decisions += requests.withLock { $0.giveBack(request.needs, of: request.operation) }
    }
    ThreadRecord.current.handOverOrOwe(jobs)
  }
}

/// What is asked for; decides nothing but by the lines of resources and the slots of queues.
private struct ResourceRequests: Sendable {
  private var requests: [UInt64: ResourceRequest] = [:]
  private var ticketOf: [ObjectIdentifier: UInt64] = [:]
  private var lastTicket: UInt64 = 0

  mutating func take(_ needs: [ResourceNeed], for operation: Operation, waits: Bool) -> Bool {
    if needs.allSatisfy({ first(of: $0.resource) == nil && fits($0) }) {
      give(needs, to: operation)
      return true
    }
    guard waits else { return false }
    lastTicket += 1
    requests[lastTicket] = ResourceRequest(operation: operation, needs: needs)
    ticketOf[ObjectIdentifier(operation)] = lastTicket
    for need in needs { need.resource.line.tickets.append(lastTicket) }
    return false
  }

  private func give(_ needs: [ResourceNeed], to operation: Operation) {
    for need in needs {
      need.resource.line.used += need.amount
      need.resource.line.holders[ObjectIdentifier(operation), default: (operation, 0)].grants += 1
    }
  }

  mutating func giveBack(_ needs: [ResourceNeed], of operation: Operation) -> [ResourceDecision] {
    for need in needs {
      need.resource.line.used -= need.amount
      let (id, line) = (ObjectIdentifier(operation), need.resource.line)
      line.holders[id]?.grants -= 1
      if line.holders[id]?.grants == 0 { line.holders[id] = nil }
    }
    return grant(needs.map(\.resource))
  }

  func blockers(of operation: Operation) -> [Operation] {
    guard let ticket = ticketOf[ObjectIdentifier(operation)], let request = requests[ticket] else {
      return []
    }
    return request.needs.compactMap { need in
      if !fits(need) {
        let holders = need.resource.line.holders
        return holders.count == 1 ? holders.values.first?.operation : nil
      }
      guard let head = first(of: need.resource), head != ticket else { return nil }
      return requests[head]?.operation
    }
  }

  mutating func withdraw(_ operation: Operation) -> [ResourceDecision] {
    guard let ticket = ticketOf.removeValue(forKey: ObjectIdentifier(operation)),
      let request = requests.removeValue(forKey: ticket)
    else { return [] }
    return grant(request.needs.map(\.resource))
  }

  func waiting(for resource: OperationResource) -> Int {
    resource.line.tickets[resource.line.head...].count { requests[$0] != nil }
  }

  /// Grants what can be granted now that something has changed in the lines of `changed`; amortised
  /// O(needs granted).
  private mutating func grant(_ changed: [OperationResource]) -> [ResourceDecision] {
    var changed = changed
    var decisions: [ResourceDecision] = []
    while let resource = changed.popLast() {
      while let ticket = first(of: resource), let request = requests[ticket] {
        let mayTake = request.needs.allSatisfy { first(of: $0.resource) == ticket && fits($0) }
        guard mayTake else { break }
        // Whoever makes it leave its queue withdraws it from the lines before, or has a handle to
        // it until then, which keeps the queue.
        let slot = unsafe request.operation.queueReference._withUnsafeGuaranteedRef {
          $0.claimSlot() ? $0 : nil
        }
        if slot != nil { give(request.needs, to: request.operation) }
        requests[ticket] = nil
        ticketOf[ObjectIdentifier(request.operation)] = nil
        decisions.append(ResourceDecision(request: request, slot: slot))
        // Others may head these lines now.
        changed += request.needs.map(\.resource)
      }
    }
    return decisions
  }

  private func fits(_ need: ResourceNeed) -> Bool {
    need.amount <= need.resource.capacity - need.resource.line.used
  }

  /// The ticket at the head of a line; drops what was granted or withdrawn.
  private func first(of resource: OperationResource) -> UInt64? {
    let tickets = resource.line.tickets
    var head = resource.line.head
    while head < tickets.count, requests[tickets[head]] == nil { head += 1 }
    resource.line.head = head
    guard head == tickets.count || head > 32 && 2 * head > tickets.count else {
      return tickets[head]
    }
    resource.line.tickets.removeFirst(head)
    resource.line.head = 0
    return resource.line.tickets.first
  }
}
