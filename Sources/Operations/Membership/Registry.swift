// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// Who is a member of a queue: chunks of slots per group of submitting threads, merged by ticket
/// when somebody asks.
///
/// An add writes one slot under the stripe's lock; a removal is one read-modify-write of the
/// chunk's mask. A chunk goes when all its slots have been used and left. Page: Registry.md.
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
    for index in 0..<Self.stripeCount {
      let stripe = unsafe stripes + index
      unsafe RegistryStripe.lock(stripe, with: &found)
      // Under the lock: whoever limits the queue afterwards looks for the marks, and gets it later.
      let marks = queue.map { !$0.limitsStarts } ?? false
      // Oldest first, so that there is little to sort.
      var chunk = unsafe stripe.pointee.lists.oldestChunk
      while let present = unsafe chunk {
        let left = unsafe present.pointee.pin()
        for index in unsafe 0..<present.pointee.filled where left & 1 << UInt64(index) == 0 {
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
        unsafe present.pointee.unpin()
        unsafe chunk = present.pointee.previous
      }
      unsafe stripe.pointee.lock.unlock()
    }
    found.sort { $0.ticket < $1.ticket }
    return found
  }
}

/// The chunks that one group of threads adds to.
struct RegistryStripe: ~Copyable {
  /// Under the lock; first, because a change of it counts as one at the stripe's address, where the
  /// lock must not be.
  var lists = StripeLists()
  let lock = SpinLock()
  private let padding = InlineArray<12, UInt>(repeating: 0)

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
  /// Every chunk with a member or free slots, newest first.
  var chunks: UnsafeMutablePointer<RegistryChunk>?
  /// An empty chunk kept for the next one needed.
  private var spare: UnsafeMutablePointer<RegistryChunk>?

  /// The last of them; O(chunks).
  var oldestChunk: UnsafeMutablePointer<RegistryChunk>? {
    var oldest = unsafe chunks
    while let next = unsafe oldest?.pointee.next { unsafe oldest = next }
    return unsafe oldest
  }

  /// Slots that were given out in all chunks, those of members that have left included; O(chunks).
  var mostMembers: Int {
    var count = 0
    var chunk = unsafe chunks
    while let present = unsafe chunk {
      count += unsafe present.pointee.filled
      unsafe chunk = present.pointee.next
    }
    return count
  }

  /// Returns the slot.
  mutating func add(
    _ member: UInt, _ ticket: UInt64, at stripe: UnsafeMutablePointer<RegistryStripe>
  ) -> UInt {
    let chunk: UnsafeMutablePointer<RegistryChunk>
    if let present = unsafe chunks, unsafe present.pointee.filled < RegistryChunk.capacity {
      unsafe chunk = present
    } else {
      unsafe chunk = spare ?? RegistryChunk.allocate()
      unsafe spare = nil
      unsafe chunk.initialize(to: RegistryChunk(queue: queue, stripe: stripe, next: chunks))
      unsafe chunks?.pointee.previous = chunk
      unsafe chunks = chunk
    }
    return unsafe RegistryChunk.add(member, ticket, to: chunk)
  }

  /// Every slot of the chunk was used and left.
  mutating func unlink(_ chunk: UnsafeMutablePointer<RegistryChunk>) {
    let (previous, next) = unsafe (chunk.pointee.previous, chunk.pointee.next)
    if let previous = unsafe previous {
      unsafe previous.pointee.next = next
    } else {
      unsafe chunks = next
    }
    unsafe next?.pointee.previous = previous
    unsafe chunk.deinitialize(count: 1)
    if unsafe spare == nil { unsafe spare = chunk } else { unsafe chunk.deallocate() }
  }

  mutating func freeChunks() {
    while let chunk = unsafe chunks {
      unsafe chunks = chunk.pointee.next
      unsafe chunk.deinitialize(count: 1)
      unsafe chunk.deallocate()
    }
    unsafe spare?.deallocate()
    unsafe spare = nil
  }
}
