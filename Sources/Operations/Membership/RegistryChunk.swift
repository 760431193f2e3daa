// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// Up to `capacity` members with their tickets, in a block whose address gives the chunk back from
/// any slot.
@safe struct RegistryChunk: ~Copyable {
  /// Slots of a chunk.
  static let capacity = 62
  /// Size and alignment of a block, B.
  static let blockSize = 1024
  private static let pinned: UInt64 = 1 << 63
  private static let full: UInt64 = (1 << UInt64(capacity)) - 1
  /// Low bits of a member word.
  static let closureTag: UInt = 1
  static let hiddenTag: UInt = 2
  private static let tags: UInt = 15
  /// So that a slot is never the address of a chunk and differs from every other membership word.
  private static let slotOffset: UInt64 = 8

  /// Under the stripe's lock; first, because a change of an array below counts as one at the
  /// chunk's address, where nothing may be that members read without the lock.
  var previous: UnsafeMutablePointer<RegistryChunk>?
  let queue: UInt
  let stripe: UnsafeMutablePointer<RegistryStripe>
  var next: UnsafeMutablePointer<RegistryChunk>?
  /// Slots whose member has left, and the enumerator's pin.
  private let left = Atomic<UInt64>(0)
  /// Slots that were given out; under the stripe's lock.
  private(set) var filled = 0
  /// The low 32 bits and the next 16 of each ticket: enough for a year of 9 million submissions a
  /// second.
  private var tickets = InlineArray<62, UInt32>(repeating: 0)
  private var upperTickets = InlineArray<62, UInt16>(repeating: 0)
  private var slots = InlineArray<62, UInt>(repeating: 0)

  init(
    queue: UInt, stripe: UnsafeMutablePointer<RegistryStripe>,
    next: UnsafeMutablePointer<RegistryChunk>?
  ) {
    self.queue = queue
    unsafe self.stripe = stripe
    unsafe self.next = next
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

  /// The queue of a member; valid until the slot is removed.
  @inline(__always) static func queueWord(ofSlot slot: UInt) -> UInt {
    unsafe chunk(ofSlot: slot).pointee.queue
  }

  /// The ticket of a member that has not left; takes the lock of its stripe.
  static func ticket(ofSlot slot: UInt) -> UInt64 {
    let chunk = unsafe Self.chunk(ofSlot: slot)
    let stripe = unsafe chunk.pointee.stripe
    // An addition to the chunk counts as a change of all its tickets.
    unsafe stripe.pointee.lock.lock()
    defer { unsafe stripe.pointee.lock.unlock() }
    return unsafe chunk.pointee.ticket(Int(slot & UInt(blockSize - 1)) - Int(slotOffset))
  }

  private func ticket(_ index: Int) -> UInt64 {
    UInt64(upperTickets[index]) << 32 | UInt64(tickets[index])
  }

  /// Under the stripe's lock; returns the slot.
  ///
  /// Changes field by field: members read `queue` and `stripe` without the lock.
  @inline(__always) static func add(
    _ member: UInt, _ ticket: UInt64, to chunk: UnsafeMutablePointer<RegistryChunk>
  ) -> UInt {
    let index = unsafe chunk.pointee.filled
    unsafe chunk.pointee.slots[index] = member
    unsafe chunk.pointee.tickets[index] = UInt32(truncatingIfNeeded: ticket)
    unsafe chunk.pointee.upperTickets[index] = UInt16(truncatingIfNeeded: ticket >> 32)
    unsafe chunk.pointee.filled = index + 1
    return UInt(bitPattern: chunk) + UInt(slotOffset) + UInt(index)
  }

  /// The member in `slot` has ended while handles to it may be out, for which the slot goes on to
  /// name the queue until it is removed: enumerations find nobody there from here on.
  static func bury(slot: UInt) {
    let chunk = unsafe Self.chunk(ofSlot: slot)
    let stripe = unsafe chunk.pointee.stripe
    unsafe stripe.pointee.lock.lock()
    unsafe chunk.pointee.slots[Int(slot & UInt(blockSize - 1)) - Int(slotOffset)] = 0
    unsafe stripe.pointee.lock.unlock()
  }

  /// The member in `slot` leaves, or the last handle to one that was buried there is back.
  static func remove(slot: UInt) {
    let chunk = unsafe Self.chunk(ofSlot: slot)
    let bit: UInt64 = 1 << (UInt64(slot & UInt(blockSize - 1)) - slotOffset)
    // Read before the removal: from the last one on the chunk may be gone. The stripe lives in the
    // queue, which the member keeps until it is subtracted.
    let stripe = unsafe chunk.pointee.stripe
    // acquire and release, edge Left: whoever sees the last bit sees every removal; an enumerator
    // that pinned the chunk before is seen here, one that pins it later sees the bit.
    let mask = unsafe chunk.pointee.left.bitwiseOr(bit, ordering: .acquiringAndReleasing).newValue
    if mask & pinned != 0 {
      // The pin is held under the stripe's lock only: wait there, not on the chunk.
      unsafe stripe.pointee.lock.lock()
      unsafe stripe.pointee.lock.unlock()
    }
    guard mask & full == full else { return }
    unsafe stripe.pointee.lock.lock()
    unsafe stripe.pointee.lists.unlink(chunk)
    unsafe stripe.pointee.lock.unlock()
  }

  /// Under the stripe's lock: until `unpin`, no member that has not left can go away.
  ///
  /// Returns who has left.
  func pin() -> UInt64 {
    // acquire and release, edge Left: see `remove`.
    left.bitwiseOr(Self.pinned, ordering: .acquiringAndReleasing).oldValue
  }

  func unpin() {
    // release, edge Unpinned: the enumerator's reads precede the member's end.
    left.bitwiseAnd(~Self.pinned, ordering: .releasing)
  }

  /// A closure's cell in a slot that was given out is not open, and its member has not left; under
  /// the pin.
  func isAwaited(_ index: Int) -> Bool {
    // acquire, edge Left: see `remove`.
    slots[index] & Self.closureTag != 0
      && left.load(ordering: .acquiring) & 1 << UInt64(index) == 0
  }

  /// The member in a slot that was given out and not left; under the pin.
  ///
  /// With `marks` it cancels an operation that needs no more than the mark, and there is none.
  func member(_ index: Int, includingHidden: Bool, marks: Bool) -> Registry.Found? {
    let word = slots[index]
    guard word != 0, includingHidden || word & Self.hiddenTag == 0 else { return nil }
    let place: Registry.Found.Place
    if word & Self.closureTag != 0 {
      guard let handle = OperationHandle.live(node: word & ~Self.tags) else { return nil }
      place = .closure(handle)
    } else {
      let word = word & ~Self.tags
      // SAFETY: the pin keeps it.
      if marks, unsafe Operation.reference(word)._withUnsafeGuaranteedRef({ $0.markInPlace() }) {
        return nil
      }
      // Before the pin goes.
      place = .operation(Operation.retain(word))
    }
    return Registry.Found(ticket: ticket(index), place: place)
  }
}
