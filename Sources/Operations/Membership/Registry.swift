// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// Who is a member of a queue: chunks of slots per group of submitting threads, merged by ticket
/// when somebody asks.
///
/// An add writes one slot, in a stripe of the thread's own or under the stripe's lock; a removal is
/// one store. Whoever needs another chunk looks whether older ones have been left by all. Page:
/// Registry.md.
@safe struct Registry: ~Copyable {
  /// Stripes that one thread each adds to, those of the first records.
  static let ownedStripes = 8
  /// Stripes that the other threads share.
  static let sharedStripes = 8
  static let stripeCount = ownedStripes + sharedStripes
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
  func add(_ member: UInt, ticket: UInt64, stripe index: Int) -> UInt {
    unsafe RegistryStripe.add(
      member, ticket, to: stripes + index, isOwned: index < Self.ownedStripes)
  }

  /// Adds members with successive tickets; returns their slots in order.
  func add(_ operations: [Operation], firstTicket: UInt64, stripe index: Int) -> BatchSlots {
    var runs: [Range<UInt>] = []
    OperationWords.withWords(operations) { words in
      var added = 0
      while added < words.count {
        // One opening per chunk: enumerations and removals must not wait for a whole batch.
        let run = unsafe RegistryStripe.add(
          words.extracting(added...), firstTicket &+ UInt64(added), to: stripes + index,
          isOwned: index < Self.ownedStripes)
        runs.append(run)
        added += run.count
      }
    }
    return BatchSlots(runs)
  }

  /// A member as found by an enumeration.
  enum Member {
    case operation(Operation)
    case closure(OperationHandle)

    /// Takes what was found, once.
    init(_ found: Found) {
      switch found.place {
      // SAFETY: retained by `RegistryChunk.member` under the pin.
      case .operation(let word):
        self = .operation(unsafe Operation.reference(word).takeRetainedValue())
      case .closure(let handle): self = .closure(handle)
      }
    }

    /// The operation, of a closure its façade; nil when that has ended.
    var operation: Operation? {
      switch self {
      case .operation(let operation): operation
      case .closure(let handle): handle.facade
      }
    }
  }

  /// A member while an enumeration sorts what it has found: plain words, which count no reference
  /// when they move.
  struct Found {
    enum Place {
      /// Retained.
      case operation(UInt)
      case closure(OperationHandle)
    }
    let ticket: UInt64
    let place: Place
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

  /// Members in submission order, closures as handles, hidden ones included; with `waiting` also
  /// closures that are just being added.
  func membersAndClosures(waiting: Bool = false) -> [Member] {
    collect(includingHidden: true, waiting: waiting).map(Member.init)
  }

  /// Cancels what calls for no more than a mark, closures that have no façade and what
  /// `markInPlace` marks, and returns the others, in submission order, for the caller to cancel.
  ///
  /// Nothing waits for a closure without façade, so it does not matter which are marked first. With
  /// `waiting` also closures that are just being added.
  func operationsLeftToCancel(in queue: OperationQueue, waiting: Bool = false) -> [Operation] {
    collect(includingHidden: true, waiting: waiting, cancelling: queue).compactMap { found in
      switch Member(found) {
      case .operation(let operation): operation
      case .closure(let handle): handle.cancelUnlessFacade()
      }
    }
  }

  /// Members in submission order, closures through their façades.
  func members() -> [Operation] { membersWithTickets(waiting: false).map(\.operation) }

  /// As `members()`, with their tickets; with `waiting` it includes closures that are just being
  /// added.
  func membersWithTickets(waiting: Bool) -> [QueueMember] {
    collect(includingHidden: false, waiting: waiting).compactMap { found in
      Member(found).operation.map { QueueMember(ticket: found.ticket, operation: $0) }
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
          while true {
            let member = unsafe present.pointee.member(
              index, includingHidden: includingHidden, marks: marks)
            if let member { found.append(member) }
            // Whoever opens the cell, or has retired it, needs neither this lock nor the pin for
            // that, nor a lock whose owner may wait for this one.
            guard waiting, member == nil, unsafe present.pointee.isAwaited(index) else { break }
            backoff.wait()
          }
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
      // acquire and release, edge Populated: whoever adds the first chunk afterwards sees what the
      // caller did before.
      let hasChunks = unsafe stripe.pointee.hasChunks.logicalOr(
        false, ordering: .acquiringAndReleasing
      ).oldValue
      guard hasChunks else { continue }
      pinned |= 1 << index
      // relaxed, edges Pinned and Opened: the barrier orders it.
      unsafe stripe.pointee.pins.wrappingAdd(1, ordering: .relaxed)
    }
    if pinned != 0 { AsymmetricBarrier.heavy() }
    return pinned
  }
}

/// The slots of a batch of members in the order of these, taken one by one.
struct BatchSlots {
  /// Neighbours, since a chunk is filled in order; the first ones last.
  private var runs: [Range<UInt>] = []
  private var taken: UInt = 0
  private var end: UInt = 0

  /// `runs` in order.
  init(_ runs: [Range<UInt>]) { self.runs = runs.reversed() }

  @inline(__always) mutating func take() -> UInt {
    if taken == end { nextRun() }
    defer { taken &+= 1 }
    return taken
  }

  @inline(never) private mutating func nextRun() {
    let run = runs.removeLast()
    (taken, end) = (run.lowerBound, run.upperBound)
  }
}
