// SPDX-License-Identifier: Apache-2.0

// A cancellation calls user code, which cancels and waits in turn. What it has still to do stands in two lists of the
// thread, from which a wait takes all, and a cancellation inside of another one takes only what it has put there itself.
// Page: Composition.md, "Cancelling".

/// What cancellations on a thread have still to do; the owner's alone.
final class Cancellations {
  /// Operations that belong to others which are marked, and are to be marked.
  fileprivate var members = Agenda<Operation>()
  /// What cancellations have set free.
  fileprivate var effects = Agenda<Cancelled>()
  /// Whose members are listed; each once, or overrides that cancel their owner would go on for ever.
  fileprivate var owners: [ObjectIdentifier: Operation] = [:]
  /// Cancellations of members on the stack, one inside the other.
  fileprivate var depth = 0
  /// The one whose `cancel()` the innermost loop calls.
  fileprivate var current: Operation?
  /// How many `holdingBack(_:)` are at marking, one inside the other.
  fileprivate var marking = 0
  /// How many waits on the stack see to the lists.
  fileprivate var waits = 0

  /// Waits one inside the other that see to all of the lists; deeper ones leave what calls user code to those.
  ///
  /// Every cancel hook that waits is one level of the stack.
  static let waitLimit = 64
}

/// Things to do, first come, first served, from any place on.
private struct Agenda<Item> {
  private var items: [Item?] = []
  /// Nothing before this place is left.
  private var next = 0

  var count: Int { items.count }

  mutating func append(_ item: Item) { items.append(item) }
  mutating func append(contentsOf new: [Item]) { items.append(contentsOf: new) }

  /// The first one left at `place` or behind that `isWanted`; moves `place` behind it.
  mutating func take(
    from place: inout Int, where isWanted: (Item) -> Bool = { _ in true }
  ) -> Item? {
    place = max(place, next)
    while place < items.count {
      defer { place += 1 }
      if let item = items[place], isWanted(item) { return items[place].take() }
    }
    return nil
  }

  /// The first one left.
  mutating func takeFirst() -> Item? {
    var place = next
    defer { next = place }
    return take(from: &place)
  }

  /// Whether nothing is left.
  ///
  /// O(1) amortised: what was taken from later places is passed once.
  mutating func isExhausted() -> Bool {
    while next < items.count, items[next] == nil { next += 1 }
    return next == items.count
  }

  /// Forgets the places, when nothing is left.
  mutating func reset() { self = Agenda() }
}

extension ThreadRecord {
  /// The members of `owner` are listed by a cancellation that is under way on this thread.
  func hasListed(_ owner: Operation) -> Bool {
    cancellations.owners[ObjectIdentifier(owner)] != nil
  }

  /// Cancels operations that belong to `owner`, with a loop instead of recursion when those have members in turn.
  ///
  /// When it returns all of them are marked, whoever came first. But when such a loop on this thread has called the
  /// `cancel()` of `owner` it returns at once, and the loop goes on with these.
  func cancelMembers(of owner: Operation, _ members: [Operation]) {
    let cancellations = cancellations
    guard
      cancellations.owners.updateValue(owner, forKey: ObjectIdentifier(owner)) == nil
    else { return }
    if cancellations.current === owner {
      cancellations.members.append(contentsOf: members)
    } else {
      cancelAll(members)
    }
  }

  /// Cancels operations; when it returns all of them are marked, and their members.
  func cancelAll(_ operations: [Operation]) {
    let cancellations = cancellations
    var place = cancellations.members.count
    cancellations.members.append(contentsOf: operations)
    cancellations.depth += 1
    var owners: [ObjectIdentifier: Operation] = [:]
    holdingBack {
      while let next = cancellations.members.take(from: &place) { cancelMember(next) }
      cancellations.depth -= 1
      guard cancellations.depth == 0 else { return }
      // Before anything is let go: its hooks cancel others in turn.
      cancellations.members.reset()
      swap(&owners, &cancellations.owners)
      for owner in owners.values { owner.allMembersAreCancelled() }
    }
    withExtendedLifetime(owners) {}
  }

  private func cancelMember(_ operation: Operation) {
    let outer = cancellations.current
    cancellations.current = operation
    // Another thread that has marked it may be on its way to its members still.
    if operation.isMarkedCancelled { operation.cancelMembers() } else { operation.cancel() }
    cancellations.current = outer
  }

  /// Cancels operations that are about to be added to an operation which is cancelled, before they can run.
  ///
  /// At once, whatever else this thread is cancelling.
  func cancelBeforeTheyStart(_ operations: [Operation]) {
    addsUnderWay += 1
    cancelAll(operations)
    addsUnderWay -= 1
  }

  /// Runs `body`, which cancels operations, and only then lets what follows from that happen: none of them is started, or
  /// finished and its dependents started, before all of them are marked.
  ///
  /// What an outer one holds back stays with that: its hooks are not called from inside of a hook.
  func holdingBack(_ body: () -> Void) {
    let cancellations = cancellations
    var place = cancellations.effects.count
    let isOutermost = place == 0
    cancellations.marking += 1
    body()
    cancellations.marking -= 1
    guard cancellations.marking == 0 else { return }
    while let next = cancellations.effects.take(from: &place) { next.go() }
    if isOutermost { cancellations.effects.reset() }
  }

  /// Lets what follows from a cancellation happen, now or when all that is cancelled with it is marked.
  func follow(_ cancelled: Cancelled) {
    if cancellations.marking > 0 { cancellations.effects.append(cancelled) } else { cancelled.go() }
  }

  /// What a thread must not keep to itself while it waits: finished operations that it has not subtracted, and, inside of
  /// a cancellation, the members that are still to be cancelled and what cancellations have set free.
  func prepareToWait() {
    flushCredit()
    let cancellations = cancellations
    guard cancellations.waits < Cancellations.waitLimit else { return letSilentEffectsGo() }
    cancellations.waits += 1
    defer { cancellations.waits -= 1 }
    var hasMore = true
    while hasMore {
      while let next = cancellations.members.takeFirst() { cancelMember(next) }
      // Its hooks list others.
      if let next = cancellations.effects.takeFirst() { next.go() } else { hasMore = false }
    }
  }

  /// As much of `prepareToWait()` as calls no user code: lets those go that nobody is told of, when everything is marked.
  ///
  /// O(effects that are held back).
  func letSilentEffectsGo() {
    guard cancellations.members.isExhausted() else { return }
    var place = 0
    while let next = cancellations.effects.take(from: &place, where: \.isSilent) { next.go() }
  }
}
