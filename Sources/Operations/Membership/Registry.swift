// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// Who is a member of a queue: chunks of slots per group of submitting threads, merged by ticket
/// when somebody asks.
///
/// An add writes one slot under the stripe's lock; a removal is one store. Whoever needs another
/// chunk looks whether older ones have been left by all. Page: Registry.md.
@safe struct Registry: ~Copyable {
  static let stripeCount = 8
  private let stripes: UnsafeMutablePointer<RegistryStripe>

  init() {
    unsafe stripes = .allocate(capacity: Self.stripeCount)
    for index in 0..<Self.stripeCount { unsafe (stripes + index).initialize(to: RegistryStripe()) }
  }

  /// Tells the stripes whose they are.
  func open(for queue: UInt) {
    for index in 0..<Self.stripeCount { unsafe stripes[index].lists.queue = queue }
  }

  /// Frees everything; the queue has no members any more.
  func close() {
    for index in 0..<Self.stripeCount {
      unsafe stripes[index].lists.freeChunks()
      unsafe (stripes + index).deinitialize(count: 1)
    }
    unsafe stripes.deallocate()
  }

  /// Adds the word of an operation or a closure node; returns the slot.
  @inline(__always)
  func add(_ member: UInt, ticket: UInt64, stripe: Int) -> UInt {
    let stripe = unsafe stripes + stripe % Self.stripeCount
    unsafe stripe.pointee.lock.lock()
    let slot = unsafe stripe.pointee.lists.add(member, ticket, at: stripe)
    unsafe stripe.pointee.lock.unlock()
    return slot
  }

  /// Adds members with successive tickets; stores each one's slot in its header's link until it is
  /// submitted.
  func add(_ operations: [Operation], firstTicket: UInt64, stripe: Int) {
    let stripe = unsafe stripes + stripe % Self.stripeCount
    var ticket = firstTicket
    var room = 0
    OperationWords.forEach(operations) { operation in
      // One lock per chunkful: enumerations and removals must not wait for a whole batch.
      if room == 0 {
        unsafe stripe.pointee.lock.lock()
        room = RegistryChunk.capacity
      }
      let slot = unsafe stripe.pointee.lists.add(operation.word, ticket, at: stripe)
      // relaxed: this thread reads it back before anybody else owns the header.
      operation.header.link.store(slot, ordering: .relaxed)
      ticket += 1
      room -= 1
      if room == 0 { unsafe stripe.pointee.lock.unlock() }
    }
    if room > 0 { unsafe stripe.pointee.lock.unlock() }
  }

  /// Adds a member that `members()` does not show.
  func addHidden(_ member: UInt, ticket: UInt64) -> UInt {
    add(member | RegistryChunk.hiddenTag, ticket: ticket, stripe: 0)
  }

  /// A member as found by an enumeration.
  enum Member {
    case operation(Operation)
    case closure(OperationHandle)

    init(_ found: Found) {
      switch found.place {
      case .operation(let word): self = .operation(found.take(word))
      case .closure(let handle): self = .closure(handle)
      }
    }
  }

  /// A member while an enumeration sorts what it has found: plain words, which count no reference
  /// when they move.
  ///
  /// Whoever gets it takes it once.
  struct Found {
    enum Place {
      /// Retained.
      case operation(UInt)
      case closure(OperationHandle)
    }
    let ticket: UInt64
    let place: Place

    /// The operation, with the reference that came with its word.
    func take(_ word: UInt) -> Operation {
      // SAFETY: retained by `RegistryChunk.member` under the pin.
      unsafe Operation.reference(word).takeRetainedValue()
    }
  }

  /// Ticket and word of each member in submission order, of a closure the cell's, hidden ones
  /// included.
  func ticketsAndWords() -> [(ticket: UInt64, word: UInt)] {
    collect(includingHidden: true).map { found in
      switch Member(found) {
      case .operation(let operation): (found.ticket, operation.word)
      case .closure(let handle): (found.ticket, handle.node)
      }
    }
  }

  /// Members in submission order, closures as handles, hidden ones included.
  func membersAndClosures() -> [Member] { collect(includingHidden: true).map(Member.init) }

  /// Cancels what calls for no more than a mark, closures that have no façade and what `markInPlace`
  /// marks, and returns the others, in submission order, for the caller to cancel.
  ///
  /// Nothing waits for a closure without façade, so it does not matter which are marked first. With
  /// `waiting` also closures that are just being added.
  func operationsLeftToCancel(in queue: OperationQueue, waiting: Bool = false) -> [Operation] {
    let found = collect(includingHidden: true, waiting: waiting, cancelling: queue)
    var operations: [Operation] = []
    operations.reserveCapacity(found.count)
    for member in found {
      switch member.place {
      case .operation(let word): operations.append(member.take(word))
      case .closure(let handle):
        if let facade = handle.cancelUnlessFacade() { operations.append(facade) }
      }
    }
    return operations
  }

  /// Members in submission order, closures through their façades.
  func members() -> [Operation] { membersWithTickets(waiting: false).map(\.operation) }

  /// As `members()`, with their tickets; with `waiting` it includes closures that are just being
  /// added.
  func membersWithTickets(waiting: Bool) -> [QueueMember] {
    collect(includingHidden: false, waiting: waiting).compactMap { found in
      let operation: Operation? =
        switch Member(found) {
        case .operation(let operation): operation
        case .closure(let handle): handle.facade
        }
      return operation.map { QueueMember(ticket: found.ticket, operation: $0) }
    }
  }

  private func collect(
    includingHidden: Bool, waiting: Bool = false, cancelling queue: OperationQueue? = nil
  ) -> [Found] {
    var found: [Found] = []
    let pinned = pin()
    for index in 0..<Self.stripeCount where pinned & 1 << index != 0 {
      let stripe = unsafe stripes + index
      unsafe RegistryStripe.lock(stripe, with: &found)
      // Under the lock: whoever limits the queue afterwards looks for the marks, and gets it later.
      let marks = queue.map { !$0.limitsStarts } ?? false
      let newest = unsafe stripe.pointee.lists.newest
      // The oldest first, mostly, so that there is little to sort.
      var chunk = unsafe newest?.pointee.next
      while let present = unsafe chunk {
        for index in unsafe 0..<present.pointee.filled {
          var backoff = Backoff()
          var member = unsafe present.pointee.member(
            index, includingHidden: includingHidden, marks: marks)
          // Whoever opens the cell, or has retired it, needs neither this lock nor the pin for
          // that, nor a lock whose owner may wait for this one.
          while waiting, member == nil, unsafe present.pointee.isAwaited(index) {
            backoff.wait()
            member = unsafe present.pointee.member(
              index, includingHidden: includingHidden, marks: marks)
          }
          if let member { found.append(member) }
        }
        unsafe chunk = present == newest ? nil : present.pointee.next
      }
      let spare = unsafe stripe.pointee.lists.takeSpare()
      unsafe stripe.pointee.lock.unlock()
      unsafe StripeLists.free(spare)
      // release, edge Unpinned: whoever leaves without waiting comes after what was read here.
      unsafe stripe.pointee.pins.wrappingSubtract(1, ordering: .releasing)
    }
    found.sort { $0.ticket < $1.ticket }
    return found
  }

  /// Pins the stripes that have chunks, with one barrier for all; returns which.
  private func pin() -> Int {
    var pinned = 0
    for index in 0..<Self.stripeCount {
      let stripe = unsafe stripes + index
      unsafe stripe.pointee.lock.lock()
      if unsafe stripe.pointee.lists.newest != nil { pinned |= 1 << index }
      unsafe stripe.pointee.lock.unlock()
      // relaxed, edge Pinned: the barrier orders it.
      if pinned & 1 << index != 0 {
        unsafe stripe.pointee.pins.wrappingAdd(1, ordering: .relaxed)
      }
    }
    if pinned != 0 { AsymmetricBarrier.heavy() }
    return pinned
  }
}

/// The chunks that one group of threads adds to.
struct RegistryStripe: ~Copyable {
  /// Under the lock; first, because a change of it counts as one at the stripe's address, where the
  /// lock must not be.
  var lists = StripeLists()
  let lock = SpinLock()
  private let padding = InlineArray<4, UInt>(repeating: 0)
  /// Enumerators that have not done with the stripe; on a line of its own, since every member reads
  /// it that leaves.
  ///
  /// Where there is no asymmetric barrier one more: everybody takes the lock then.
  let pins = Atomic<Int>(AsymmetricBarrier.isAvailable ? 0 : 1)
  private let morePadding = InlineArray<6, UInt>(repeating: 0)

  /// Takes the lock when `found` has room for all members: who spins for the lock does not wait for
  /// an allocator.
  ///
  /// Every look at the lists goes through the pointer and is an access of its own. A method of the
  /// stripe would borrow the stripe all along, and the optimiser may then read the lists before it
  /// takes the lock.
  static func lock(
    _ stripe: UnsafeMutablePointer<RegistryStripe>, with found: inout [Registry.Found]
  ) {
    while true {
      unsafe stripe.pointee.lock.lock()
      unsafe stripe.pointee.lists.takeOutAllSpent()
      let most = unsafe stripe.pointee.lists.mostMembers
      if found.capacity - found.count >= most { return }
      unsafe stripe.pointee.lock.unlock()
      // Others may add meanwhile; a chunk more for them, and half of what is there. At least twice
      // what there was, so that what was found before is moved O(1) times on average.
      let wanted = found.count + most + most / 2 + RegistryChunk.capacity
      found.reserveCapacity(max(wanted, 2 * found.capacity))
    }
  }
}

/// The chunks of a stripe.
@safe struct StripeLists {
  var queue: UInt = 0
  /// The chunk that is filled now, if there is one.
  ///
  /// The others are full. They follow it in a ring, first the one that was looked at longest ago.
  private(set) var newest: UnsafeMutablePointer<RegistryChunk>?
  /// How many are in the ring.
  private var count = 0
  /// Chunks that all members have left, to be used again.
  private var spare: UnsafeMutablePointer<RegistryChunk>?

  /// Slots of all chunks, those of members that have left included.
  var mostMembers: Int { count * RegistryChunk.capacity }

  /// Returns the slot.
  mutating func add(
    _ member: UInt, _ ticket: UInt64, at stripe: UnsafeMutablePointer<RegistryStripe>
  ) -> UInt {
    let chunk: UnsafeMutablePointer<RegistryChunk>
    if let newest = unsafe newest, unsafe newest.pointee.filled < RegistryChunk.capacity {
      unsafe chunk = newest
    } else {
      unsafe chunk = addChunk(at: stripe)
    }
    return unsafe RegistryChunk.add(member, ticket, to: chunk)
  }

  /// Looks at two older chunks for each one that it adds: one round takes out all that were spent
  /// when it began, so there are at most about twice as many as have members.
  @inline(never) private mutating func addChunk(
    at stripe: UnsafeMutablePointer<RegistryStripe>
  ) -> UnsafeMutablePointer<RegistryChunk> {
    takeOutSpent(lookingAt: 2)
    let chunk = unsafe popSpare() ?? newChunk(at: stripe)
    // A look finds two at most, and one is used.
    if unsafe spare?.pointee.next != nil { unsafe popSpare()?.deallocate() }
    unsafe chunk.pointee.next = newest?.pointee.next ?? chunk
    unsafe newest?.pointee.next = chunk
    unsafe newest = chunk
    count += 1
    return unsafe chunk
  }

  private func newChunk(
    at stripe: UnsafeMutablePointer<RegistryStripe>
  ) -> UnsafeMutablePointer<RegistryChunk> {
    let chunk = unsafe RegistryChunk.allocate()
    unsafe chunk.initialize(to: RegistryChunk(queue: queue, stripe: stripe))
    return unsafe chunk
  }

  private mutating func popSpare() -> UnsafeMutablePointer<RegistryChunk>? {
    guard let chunk = unsafe spare else { return nil }
    unsafe spare = chunk.pointee.next
    unsafe chunk.pointee.empty()
    return unsafe chunk
  }

  /// Looks at all chunks.
  mutating func takeOutAllSpent() { takeOutSpent(lookingAt: count) }

  /// Looks at some of the chunks, which go behind the others or out.
  private mutating func takeOutSpent(lookingAt most: Int) {
    for _ in 0..<most {
      guard let last = unsafe newest, let chunk = unsafe last.pointee.next else { return }
      guard unsafe chunk.pointee.isSpent else {
        unsafe newest = chunk
        continue
      }
      unsafe newest = chunk == last ? nil : last
      unsafe last.pointee.next = chunk.pointee.next
      unsafe chunk.pointee.next = spare
      unsafe spare = chunk
      count -= 1
    }
  }

  /// Takes the spare chunks out, for the caller to free without the lock.
  mutating func takeSpare() -> UnsafeMutablePointer<RegistryChunk>? {
    defer { unsafe spare = nil }
    return unsafe spare
  }

  /// Frees chunks that `takeSpare` has returned.
  static func free(_ chunks: UnsafeMutablePointer<RegistryChunk>?) {
    var next = unsafe chunks
    while let chunk = unsafe next {
      unsafe next = chunk.pointee.next
      unsafe chunk.deallocate()
    }
  }

  mutating func freeChunks() {
    // Out of the ring, a list.
    let first = unsafe newest?.pointee.next
    unsafe newest?.pointee.next = nil
    unsafe newest = nil
    unsafe Self.free(first)
    unsafe Self.free(takeSpare())
  }
}
