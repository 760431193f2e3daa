// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// What became of an attempt to take a word from the top of a deque.
@usableFromInline package enum Steal: Equatable, Sendable {
  /// The word is the caller's.
  case stolen(UInt)
  /// There was nothing to take.
  case empty
  /// Another thread took the word first; there may be more.
  case lostRace
}

/// A deque of words with one owner, who pushes and pops at the bottom, and any number of thieves,
/// who steal at the top.
///
/// This is a handle: copies refer to the same deque, which lives until its `DequeBank` is
/// destroyed. A word is never 0. No standalone fences: sequentially consistent operations on `top`
/// and `bottom` decide. The edges named in the code are explained on the page Deque of the room
/// WorkStealingBackend and checked by the model `deque.pml`. Source: Chase and Lev, SPAA 2005,
/// doi:10.1145/1073970.1073974; growth published with release and read with acquire as in Lê et
/// al., PPoPP 2013, doi:10.1145/2442516.2442524, after the correction found by CDSChecker.
@safe @usableFromInline package struct WordDeque: Sendable {
  @usableFromInline internal nonisolated(unsafe) let block: UnsafeMutablePointer<DequeBlock>

  /// A new deque with room for `capacity` words, a power of two.
  ///
  /// Whoever makes one destroys it.
  internal init(capacity: Int) {
    guard capacity > 0, capacity & (capacity - 1) == 0 else {
      fatalError("deque capacity \(capacity): expected a power of two")
    }
    let address = AlignedMemory.allocate(byteCount: MemoryLayout<DequeBlock>.size)
    // SAFETY: fresh memory of the block's size, aligned beyond its needs.
    unsafe block = .at(address)
    let first = DequeBuffer.allocate(capacity: capacity, previous: 0)
    unsafe block.initialize(to: DequeBlock(buffer: first.address))
  }

  /// The deque whose block lies at `address`, which `address` of a living deque returned.
  @inlinable internal init(address: UInt) {
    // SAFETY: the caller passes the address of a living deque, so it is not null.
    unsafe block = .at(address)
  }

  /// Where the deque's block lies; never 0.
  internal var address: UInt { UInt(bitPattern: unsafe block) }

  /// Frees the deque and every buffer it has had; nobody may use it any more.
  internal func destroy() {
    // relaxed: the caller has excluded every other thread.
    unsafe DequeBuffer(address: block.pointee.buffer.load(ordering: .relaxed)).freeAll()
    AlignedMemory.free(address)
  }

  // MARK: Owner

  /// Adds a word at the bottom, for thieves to see at once; owner only.
  ///
  /// Amortised O(1). The caller publishes before it decides whether to wake a worker.
  @inlinable package func push(_ word: UInt) {
    push(count: 1) { word }
  }

  /// As `push`, if an older word is there, as far as the owner sees, and the buffer has room; else
  /// does nothing.
  ///
  /// Owner only.
  @inlinable @inline(__always) package func pushOnTop(_ word: UInt) -> Bool {
    // relaxed: only the owner writes `bottom`.
    let bottom = unsafe block.pointee.bottom.load(ordering: .relaxed)
    // acquiring, edge SlotReleased: thieves up to `top` have read their slots before the owner
    // writes them again.
    let count = unsafe bottom &- block.pointee.top.load(ordering: .acquiring)
    // relaxed: only the owner replaces the buffer.
    let buffer = unsafe DequeBuffer(address: block.pointee.buffer.load(ordering: .relaxed))
    guard count > 0, count < buffer.capacity else { return false }
    // relaxed: the store of `bottom` below publishes the slot.
    buffer.setWord(word, at: bottom)
    // releasing, edge SlotPublished: pairs with the load of `bottom` in steal().
    unsafe block.pointee.bottom.store(bottom &+ 1, ordering: .releasing)
    return true
  }

  /// Adds `count` words, at least 1, with one store of `bottom`; owner only.
  ///
  /// The first word that `next` returns is the first that `pop` will. Thieves see all or none of
  /// them.
  @inlinable package func push(count: Int, _ next: () -> UInt) {
    // relaxed: only the owner writes `bottom`.
    let bottom = unsafe block.pointee.bottom.load(ordering: .relaxed)
    let buffer = makeRoom(for: count, at: bottom)
    var index = bottom &+ count
    while index != bottom {
      index &-= 1
      // relaxed: the store of `bottom` below publishes the slots.
      buffer.setWord(next(), at: index)
    }
    // releasing, edge SlotPublished: pairs with the load of `bottom` in steal().
    unsafe block.pointee.bottom.store(bottom &+ count, ordering: .releasing)
  }

  /// Removes the word pushed last; owner only.
  ///
  /// Nil when the deque is empty or a thief won its last word. O(1).
  @inlinable @inline(__always) package func pop() -> UInt? {
    // relaxed: only the owner writes `bottom`.
    let bottom = unsafe block.pointee.bottom.load(ordering: .relaxed) &- 1
    // relaxed: only the owner replaces the buffer.
    let buffer = unsafe DequeBuffer(address: block.pointee.buffer.load(ordering: .relaxed))
    // sequentially consistent, edge ClaimSeen: the claim precedes the load of `top` in the single
    // total order, so a thief that has read an older `top` afterwards reads this `bottom`.
    unsafe block.pointee.bottom.store(bottom, ordering: .sequentiallyConsistent)
    let top = unsafe block.pointee.top.load(ordering: .sequentiallyConsistent)
    if top < bottom {
      // relaxed: the owner wrote the slot itself.
      return buffer.word(at: bottom)
    }
    return popLast(at: bottom, top: top, from: buffer)
  }

  /// As `pop()`; with `alone`, which says that no other thread uses the deque, at the price of
  /// plain loads and stores.
  @inlinable @inline(__always) package func pop(alone: Bool) -> UInt? {
    guard alone else { return pop() }
    // relaxed, all: whoever steals later is ordered behind the owner by the caller.
    let bottom = unsafe block.pointee.bottom.load(ordering: .relaxed) &- 1
    guard unsafe block.pointee.top.load(ordering: .relaxed) <= bottom else { return nil }
    let buffer = unsafe DequeBuffer(address: block.pointee.buffer.load(ordering: .relaxed))
    unsafe block.pointee.bottom.store(bottom, ordering: .relaxed)
    return buffer.word(at: bottom)
  }

  /// The rare end of `pop`: at most one word is left and thieves may be after it.
  @inlinable internal func popLast(at bottom: Int, top: Int, from buffer: DequeBuffer) -> UInt? {
    var word: UInt?
    if top == bottom {
      // relaxed: the owner wrote the slot itself.
      let last = buffer.word(at: bottom)
      if takeTop(top) { word = last }
    }
    // relaxed: gives back the claim; a thief that still reads the claimed value only finds the
    // deque empty earlier.
    unsafe block.pointee.bottom.store(bottom &+ 1, ordering: .relaxed)
    return word
  }

  /// True when the owner would find nothing; owner only, one relaxed look.
  @inlinable package var isEmptyForOwner: Bool {
    // relaxed: only the owner writes `bottom`; `top` only grows, so "empty" is certain and "not
    // empty" is a hint.
    unsafe block.pointee.bottom.load(ordering: .relaxed)
      <= block.pointee.top.load(ordering: .relaxed)
  }

  // MARK: Any thread

  /// Takes the oldest word; any thread, the owner included (ageing).
  ///
  /// O(1), never waits.
  @inlinable package func steal() -> Steal { steal { _ in true } }

  /// As `steal()`, but leaves a word where it is that `isWanted` does not want; then there was
  /// nothing to take.
  ///
  /// `isWanted` sees a word that may be somebody else's by then.
  @inlinable @inline(__always) package func steal(ifWanted isWanted: (UInt) -> Bool) -> Steal {
    // sequentially consistent, edge ClaimSeen: `top` before `bottom`, both in the single total
    // order with pop().
    let top = unsafe block.pointee.top.load(ordering: .sequentiallyConsistent)
    // The same load acquires, edge SlotPublished: pairs with the release in push().
    let bottom = unsafe block.pointee.bottom.load(ordering: .sequentiallyConsistent)
    guard top < bottom else { return .empty }
    // acquiring, edge BufferPublished: pairs with the release in grow(); the first buffer came with
    // the deque.
    let buffer = unsafe DequeBuffer(address: block.pointee.buffer.load(ordering: .acquiring))
    // relaxed: a value read too late is thrown away, because then the exchange of `top` fails.
    let word = buffer.word(at: top)
    guard isWanted(word) else { return .empty }
    return takeTop(top) ? .stolen(word) : .lostRace
  }

  /// True when a thief would find nothing; any thread.
  @inlinable package var isEmpty: Bool {
    // sequentially consistent, edge WorkSeen: part of the look that follows the announcement of
    // going to sleep.
    let top = unsafe block.pointee.top.load(ordering: .sequentiallyConsistent)
    return unsafe block.pointee.bottom.load(ordering: .sequentiallyConsistent) <= top
  }

  /// How many words a thief would find; a hint, any thread.
  @inlinable package var countForThief: Int {
    // relaxed, both: a hint; whoever acts on it steals, which decides.
    let top = unsafe block.pointee.top.load(ordering: .relaxed)
    return max(0, unsafe block.pointee.bottom.load(ordering: .relaxed) &- top)
  }

  /// Decides a race for the word at index `top`.
  @inlinable internal func takeTop(_ top: Int) -> Bool {
    // sequentially consistent, edges TopTaken (one winner per index) and SlotReleased: the reader
    // of the slot is done before the owner, which acquires `top` in makeRoom() or pushOnTop(),
    // writes the slot again.
    unsafe block.pointee.top.compareExchange(
      expected: top, desired: top &+ 1, ordering: .sequentiallyConsistent
    ).exchanged
  }
}
