// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// Up to `capacity` members with their tickets, in a block whose address gives the chunk back from
/// any slot.
///
/// Nothing in it needs to be deinitialised.
@safe struct RegistryChunk: ~Copyable {
  /// Slots of a chunk.
  static let capacity = 62
  /// Size and alignment of a block, B.
  static let blockSize = 1024
  /// Low bits of a member word.
  static let closureTag: UInt = 1
  static let hiddenTag: UInt = 2
  private static let tags: UInt = 15
  /// The word of a slot whose member has ended while handles to it may be out.
  private static let buried: UInt = 4
  /// So that a slot is never the address of a chunk and differs from every other membership word.
  private static let slotOffset: UInt = 8

  /// The next one of the ring, or of the spare ones; under the stripe's lock, and first, because a
  /// change of an array below counts as one at the chunk's address, where nothing may be that members
  /// read without the lock.
  var next: UnsafeMutablePointer<RegistryChunk>?
  let queue: UInt
  let stripe: UnsafeMutablePointer<RegistryStripe>
  /// Slots that were given out; for whoever has opened the stripe.
  private(set) var filled = 0
  /// The low 32 bits and the next 16 of each ticket: enough for a year of 9 million submissions a
  /// second.
  private let tickets: InlineArray<62, Atomic<UInt32>>
  private let upperTickets: InlineArray<62, Atomic<UInt16>>
  /// The word of each member; 0 before it comes and when it has left.
  private let slots: InlineArray<62, Atomic<UInt>>

  init(queue: UInt, stripe: UnsafeMutablePointer<RegistryStripe>) {
    self.queue = queue
    unsafe self.stripe = stripe
    tickets = InlineArray { _ in Atomic(0) }
    upperTickets = InlineArray { _ in Atomic(0) }
    slots = InlineArray { _ in Atomic(0) }
  }

  static func allocate() -> UnsafeMutablePointer<RegistryChunk> {
    let block = AlignedMemory.allocate(byteCount: blockSize, alignment: blockSize)
    // SAFETY: fresh memory, large enough (tested) and aligned; the caller initialises it.
    return unsafe UnsafeMutablePointer(bitPattern: block).unsafelyUnwrapped
  }

  /// A slot is the chunk's address + the index: the block is aligned to its size.
  private static func chunk(ofSlot slot: UInt) -> UnsafeMutablePointer<RegistryChunk> {
    // SAFETY: slots come from `add` and their chunk lives until they are removed.
    unsafe UnsafeMutablePointer(bitPattern: slot & ~UInt(blockSize - 1)).unsafelyUnwrapped
  }

  @inline(__always) private static func index(ofSlot slot: UInt) -> Int {
    Int(bitPattern: slot & UInt(blockSize - 1) &- slotOffset)
  }

  /// The queue of a member; valid until the slot is removed.
  @inline(__always) static func queueWord(ofSlot slot: UInt) -> UInt {
    unsafe chunk(ofSlot: slot).pointee.queue
  }

  /// The ticket of a member that has not left, for whoever was handed the member.
  static func ticket(ofSlot slot: UInt) -> UInt64 {
    unsafe chunk(ofSlot: slot).pointee.ticket(index(ofSlot: slot))
  }

  private func ticket(_ index: Int) -> UInt64 {
    // relaxed, both: written before the stripe was closed and before the member was handed over.
    UInt64(upperTickets[index].load(ordering: .relaxed)) << 32
      | UInt64(tickets[index].load(ordering: .relaxed))
  }

  /// All members have left: the slots may be given out again.
  mutating func empty() { filled = 0 }

  /// For whoever has opened the stripe; returns the slot.
  ///
  /// Changes field by field: members read `queue` and `stripe` without the lock.
  @inline(__always) static func add(
    _ member: UInt, _ ticket: UInt64, to chunk: UnsafeMutablePointer<RegistryChunk>
  ) -> UInt {
    // SAFETY of the indices: the chunk is not full.
    let index = unsafe chunk.pointee.filled
    // relaxed, all: the end of the opening publishes them.
    unsafe chunk.pointee.slots[unchecked: index].store(member, ordering: .relaxed)
    unsafe chunk.pointee.tickets[unchecked: index].store(
      UInt32(truncatingIfNeeded: ticket), ordering: .relaxed)
    unsafe chunk.pointee.upperTickets[unchecked: index].store(
      UInt16(truncatingIfNeeded: ticket >> 32), ordering: .relaxed)
    unsafe chunk.pointee.filled = index &+ 1
    return UInt(bitPattern: chunk) &+ slotOffset &+ UInt(bitPattern: index)
  }

  /// The member in `slot` leaves, or the last handle to one that was buried there is back.
  @inline(__always) static func remove(slot: UInt) { empty(slot, 0) }

  /// The member in `slot` has ended while handles to it may be out, for which the slot goes on to
  /// name the queue until it is removed: enumerations find nobody there from here on.
  static func bury(slot: UInt) { empty(slot, buried) }

  /// When it returns no enumeration looks at the member any more.
  @inline(__always) private static func empty(_ slot: UInt, _ word: UInt) {
    let chunk = unsafe Self.chunk(ofSlot: slot)
    // Read before the slot is empty: from then on the chunk may be used again, or be gone. The
    // stripe lives in the queue, which the member, or its last handle, keeps until after this.
    let stripe = unsafe chunk.pointee.stripe
    // release, edge Left: whoever finds the slot empty has all that was read of the chunk behind
    // him.
    // SAFETY of the index: slots come from `add`.
    unsafe chunk.pointee.slots[unchecked: index(ofSlot: slot)].store(word, ordering: .releasing)
    AsymmetricBarrier.light()
    // acquire, edge Unpinned. After the store, edge Pinned: the enumerator's heavy barrier orders
    // the two.
    if unsafe stripe.pointee.pins.load(ordering: .acquiring) != 0 {
      unsafe waitForEnumerators(stripe)
    }
  }

  @inline(never) private static func waitForEnumerators(
    _ stripe: UnsafeMutablePointer<RegistryStripe>
  ) {
    unsafe stripe.pointee.lock.lock()
    unsafe stripe.pointee.lock.unlock()
  }

  /// Every slot was used and left; under the stripe's lock.
  var isSpent: Bool {
    guard filled == Self.capacity else { return false }
    // The last ones first: what came last is there longest.
    var index = Self.capacity
    while index > 0 {
      index -= 1
      // acquire, edge Left: see `empty(_:_:)`.
      if slots[index].load(ordering: .acquiring) != 0 { return false }
    }
    return true
  }

  /// A closure's cell in a slot that was given out is not open, and its member has not left; under
  /// the pin and the lock.
  func isAwaited(_ index: Int) -> Bool {
    // acquire, edge Left: see `empty(_:_:)`.
    slots[index].load(ordering: .acquiring) & Self.closureTag != 0
  }

  /// The member in a slot that was given out and not left; under the pin and the lock.
  ///
  /// With `marks` it cancels an operation that needs no more than the mark, and there is none.
  func member(_ index: Int, includingHidden: Bool, marks: Bool) -> Registry.Found? {
    // acquire, edge Left: see `empty(_:_:)`.
    let word = slots[index].load(ordering: .acquiring)
    guard word > Self.tags, includingHidden || word & Self.hiddenTag == 0 else { return nil }
    let place: Registry.Found.Place
    if word & Self.closureTag != 0 {
      guard let handle = OperationHandle.live(node: word & ~Self.tags) else { return nil }
      place = .closure(handle)
    } else {
      let word = word & ~Self.tags
      // SAFETY: pin and lock keep it.
      if marks, unsafe Operation.reference(word)._withUnsafeGuaranteedRef({ $0.markInPlace() }) {
        return nil
      }
      // Before the lock is given up.
      place = .operation(Operation.retain(word))
    }
    return Registry.Found(ticket: ticket(index), place: place)
  }
}
