// SPDX-License-Identifier: Apache-2.0

/// What cancellations on a thread have still to do; the owner's alone.
final class Cancellations {
  /// Operations that are to be cancelled.
  // SAFETY: no user code runs while it, or the next one, is looked at or changed.
  @exclusivity(unchecked) var members = Agenda<Listed>()
  /// What cancellations have set free.
  @exclusivity(unchecked) var effects = Agenda<Cancelled>()
  /// Operations that end by themselves after what they have cancelled.
  var endings: [Operation] = []
  /// Whose members are listed; each once, or overrides that cancel their owner would go on for
  /// ever.
  var owners: [ObjectIdentifier: Owner] = [:]
  /// Members before this place have been marked, or are of users' classes.
  var seen = 0
  /// Where the part of the innermost loop begins; a wait takes from everywhere.
  var loopStart = 0
  /// Whose operations have been named; each queue's once, or overrides that cancel queues would go
  /// on for ever.
  var queues: Set<UInt> = []
  /// Cancellations of members on the stack, one inside the other.
  var depth = 0
  /// The one whose `cancel()` the innermost loop calls, which that keeps.
  var current: ObjectIdentifier?
  /// Those whose `cancel()` the loops around it call.
  var callers: [ObjectIdentifier] = []
  /// How many `holdingBack(_:)` are at marking, one inside the other.
  var marking = 0
  /// How many waits on the stack see to the lists.
  var waits = 0

  /// Waits one inside the other that see to all of the lists; deeper ones leave what calls user
  /// code to those.
  ///
  /// Every cancel hook that waits is one level of the stack.
  static let waitLimit = 64

  /// No cancellation is under way on the thread.
  var isEmpty: Bool {
    unsafe depth == 0 && marking == 0 && members.count == 0 && effects.count == 0
  }

  struct Owner {
    let operation: Operation
    /// Where its members stand, if the loop that has come to it cancels them in their turn.
    let places: Range<Int>
  }
}

/// An operation that is to be cancelled.
struct Listed {
  let operation: Operation
  /// Whose member it is, if that one has places.
  let owner: ObjectIdentifier?
  /// The caller asked for it: its `cancel()` is called also when it is marked already, as on
  /// Foundation.
  let isNamed: Bool
}

/// Things to do, first come, first served, from any place on.
struct Agenda<Item> {
  private var items: [Item?] = []
  /// Nothing before this place is left.
  private var next = 0

  var count: Int { items.count }

  mutating func append(_ item: consuming Item) { items.append(item) }

  /// Makes room for `count` more, where appending them would double the room more than once.
  mutating func reserve(_ count: Int) {
    if count > items.count { items.reserveCapacity(items.count + count) }
  }

  /// The first one left at `place` or behind; moves `place` behind it.
  mutating func take(from place: inout Int) -> Item? {
    place = max(place, next)
    while place < items.count {
      defer { place += 1 }
      if let item = items[place].take() { return item }
    }
    return nil
  }

  /// The first one left at `place` or behind that `isWanted`; moves `place` behind it.
  mutating func take(from place: inout Int, where isWanted: (Item) -> Bool) -> Item? {
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

  /// What is left at `place`.
  subscript(place: Int) -> Item? { items[place] }

  mutating func take(at place: Int) -> Item? { items[place].take() }

  /// Forgets the places from `start` on, where nothing is left.
  mutating func cut(to start: Int) {
    items.removeLast(items.count - start)
    next = min(next, start)
  }

  /// Forgets the places, when nothing is left.
  mutating func reset() { self = Agenda() }
}
