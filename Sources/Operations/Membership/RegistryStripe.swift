// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Synchronization

/// The chunks that one thread adds to, or one group of threads.
struct RegistryStripe: ~Copyable {
  /// For whoever has opened the stripe; first, because a change of it counts as one at the stripe's
  /// address, where the lock must not be.
  var lists = StripeLists()
  let lock = SpinLock()
  /// The thread whose stripe it is has opened it without the lock, or looks whether it may.
  private let isOpenAlone = Atomic<Bool>(false)
  /// Some chunk is in the ring.
  let hasChunks = Atomic<Bool>(false)
  private let padding = InlineArray<4, UInt>(repeating: 0)
  /// Enumerators that have not done with the stripe; on a line of its own, since every member reads
  /// it that leaves.
  ///
  /// Where there is no asymmetric barrier one more: everybody takes the lock then.
  let pins = Atomic<Int>(AsymmetricBarrier.isAvailable ? 0 : 1)
  private let morePadding = InlineArray<6, UInt>(repeating: 0)

  /// The stripe to which the thread with this record adds, in every registry.
  static func index(ofRecord record: Int) -> Int {
    guard record >= Registry.ownedStripes else { return record }
    return Registry.ownedStripes + record % Registry.sharedStripes
  }

  /// Adds the word of a member; returns its slot.
  @inline(__always) static func add(
    _ member: UInt, _ ticket: UInt64, to stripe: UnsafeMutablePointer<RegistryStripe>,
    isOwned: Bool
  ) -> UInt {
    let isAlone = unsafe open(stripe, isOwned: isOwned)
    let chunk = unsafe stripe.pointee.lists.chunkWithRoom(at: stripe)
    let slot = unsafe RegistryChunk.add(member, ticket, to: chunk)
    unsafe close(stripe, isAlone: isAlone)
    return slot
  }

  /// Adds the first of `members` with successive tickets, as many as there is room for in a chunk;
  /// returns their slots.
  static func add(
    _ members: Span<UInt>, _ firstTicket: UInt64, to stripe: UnsafeMutablePointer<RegistryStripe>,
    isOwned: Bool
  ) -> Range<UInt> {
    let isAlone = unsafe open(stripe, isOwned: isOwned)
    let chunk = unsafe stripe.pointee.lists.chunkWithRoom(at: stripe)
    let count = unsafe min(members.count, RegistryChunk.capacity - chunk.pointee.filled)
    var last: UInt = 0
    for index in 0..<count {
      last = unsafe RegistryChunk.add(members[index], firstTicket &+ UInt64(index), to: chunk)
    }
    unsafe close(stripe, isAlone: isAlone)
    return last + 1 - UInt(count)..<last + 1
  }

  /// Lets the caller change the lists until `close`: without the lock when the stripe is its own
  /// and nobody enumerates, which it returns.
  @inline(__always) private static func open(
    _ stripe: UnsafeMutablePointer<RegistryStripe>, isOwned: Bool
  ) -> Bool {
    if isOwned {
      // relaxed, edge Opened: the enumerator's heavy barrier orders this store and the load.
      unsafe stripe.pointee.isOpenAlone.store(true, ordering: .relaxed)
      AsymmetricBarrier.light()
      // acquire, edge Unpinned: what the last enumerator did with the lists is seen.
      if unsafe stripe.pointee.pins.load(ordering: .acquiring) == 0 { return true }
      // relaxed: nothing was changed.
      unsafe stripe.pointee.isOpenAlone.store(false, ordering: .relaxed)
    }
    unsafe stripe.pointee.lock.lock()
    return false
  }

  /// Ends what `open` began.
  @inline(__always) private static func close(
    _ stripe: UnsafeMutablePointer<RegistryStripe>, isAlone: Bool
  ) {
    guard isAlone else { return unsafe stripe.pointee.lock.unlock() }
    shim_keep_order()
    // release, edge Opened: an enumerator that sees it sees the lists.
    unsafe stripe.pointee.isOpenAlone.store(false, ordering: .releasing)
  }

  /// Takes the lock for an enumerator, who has pinned the stripe and passed the heavy barrier, when
  /// `found` has room for all members: who spins for the lock does not wait for an allocator.
  ///
  /// Every look at the lists goes through the pointer and is an access of its own. A method of the
  /// stripe would borrow the stripe all along, and the optimiser may then read the lists before it
  /// takes the lock.
  static func lock(
    _ stripe: UnsafeMutablePointer<RegistryStripe>, with found: inout [Registry.Found]
  ) {
    while true {
      unsafe stripe.pointee.lock.lock()
      var backoff = Backoff()
      // acquire, edge Opened. The owner that opens it from now on sees the pin.
      while unsafe stripe.pointee.isOpenAlone.load(ordering: .acquiring) { backoff.wait() }
      unsafe stripe.pointee.lists.takeOutSpent(lookingAt: stripe.pointee.lists.count)
      if unsafe stripe.pointee.lists.newest == nil {
        // acquire and release, edge Populated: an exchange, so that whoever adds a chunk has what
        // every look before it had.
        unsafe _ = stripe.pointee.hasChunks.exchange(false, ordering: .acquiringAndReleasing)
      }
      // Slots of all chunks, those of members that have left included.
      let most = unsafe stripe.pointee.lists.count * RegistryChunk.capacity
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
  fileprivate private(set) var count = 0
  /// Chunks that all members have left, to be used again.
  private var spare: UnsafeMutablePointer<RegistryChunk>?

  /// The newest chunk, or a new one where that is full.
  @inline(__always) fileprivate mutating func chunkWithRoom(
    at stripe: UnsafeMutablePointer<RegistryStripe>
  ) -> UnsafeMutablePointer<RegistryChunk> {
    if let newest = unsafe newest, unsafe newest.pointee.filled < RegistryChunk.capacity {
      return unsafe newest
    }
    return unsafe addChunk(at: stripe)
  }

  /// Looks at two older chunks for each one that it adds: one round takes out all that were spent
  /// when it began, so there are at most about twice as many as have members.
  @inline(never) private mutating func addChunk(
    at stripe: UnsafeMutablePointer<RegistryStripe>
  ) -> UnsafeMutablePointer<RegistryChunk> {
    takeOutSpent(lookingAt: 2)
    // acquire and release, edge Populated: an enumerator that has passed over the stripe did before
    // whatever made it look, which the caller sees afterwards.
    if unsafe newest == nil {
      unsafe _ = stripe.pointee.hasChunks.exchange(true, ordering: .acquiringAndReleasing)
    }
    let chunk = unsafe popSpare() ?? RegistryChunk.make(queue, stripe)
    // A look finds two at most, and one is used.
    if unsafe spare?.pointee.next != nil { unsafe popSpare()?.deallocate() }
    unsafe chunk.pointee.next = newest?.pointee.next ?? chunk
    unsafe newest?.pointee.next = chunk
    unsafe newest = chunk
    count += 1
    return unsafe chunk
  }

  private mutating func popSpare() -> UnsafeMutablePointer<RegistryChunk>? {
    guard let chunk = unsafe spare else { return nil }
    unsafe spare = chunk.pointee.next
    unsafe chunk.pointee.empty()
    return unsafe chunk
  }

  /// Looks at some of the chunks, which go behind the others or out.
  fileprivate mutating func takeOutSpent(lookingAt most: Int) {
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
  /// change of an array below counts as one at the chunk's address, where nothing may be that
  /// members read without the lock.
  var next: UnsafeMutablePointer<RegistryChunk>?
  let queue: UInt
  let stripe: UnsafeMutablePointer<RegistryStripe>
  /// Slots that were given out; for whoever has opened the stripe.
  private(set) var filled = 0
  private let tickets: InlineArray<62, Atomic<UInt64>>
  /// The word of each member; 0 before it comes and when it has left.
  private let slots: InlineArray<62, Atomic<UInt>>

  private init(_ queue: UInt, _ stripe: UnsafeMutablePointer<RegistryStripe>) {
    self.queue = queue
    unsafe self.stripe = stripe
    tickets = InlineArray { _ in Atomic(0) }
    slots = InlineArray { _ in Atomic(0) }
  }

  /// An empty chunk in memory of its own.
  static func make(
    _ queue: UInt, _ stripe: UnsafeMutablePointer<RegistryStripe>
  ) -> UnsafeMutablePointer<RegistryChunk> {
    let block = AlignedMemory.allocate(byteCount: blockSize, alignment: blockSize)
    // SAFETY: fresh memory, large enough (tested) and aligned.
    let chunk = unsafe UnsafeMutablePointer<RegistryChunk>.at(block)
    unsafe chunk.initialize(to: RegistryChunk(queue, stripe))
    return unsafe chunk
  }

  /// A slot is the chunk's address + the index: the block is aligned to its size.
  private static func chunk(ofSlot slot: UInt) -> UnsafeMutablePointer<RegistryChunk> {
    // SAFETY: slots come from `add` and their chunk lives until they are removed.
    unsafe .at(slot & ~UInt(blockSize - 1))
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
    // relaxed: written before the stripe was closed and before the member was handed over.
    tickets[index].load(ordering: .relaxed)
  }

  /// All members have left: the slots may be given out again.
  mutating func empty() { filled = 0 }

  /// For whoever has opened the stripe; returns the slot.
  ///
  /// Changes field by field: members read `queue` and `stripe` without the lock.
  @inline(__always) fileprivate static func add(
    _ member: UInt, _ ticket: UInt64, to chunk: UnsafeMutablePointer<RegistryChunk>
  ) -> UInt {
    // SAFETY of the indices: the chunk is not full.
    let index = unsafe chunk.pointee.filled
    // relaxed, all: the end of the opening publishes them.
    unsafe chunk.pointee.slots[unchecked: index].store(member, ordering: .relaxed)
    unsafe chunk.pointee.tickets[unchecked: index].store(ticket, ordering: .relaxed)
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
