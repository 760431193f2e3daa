// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// The shared part of a deque: three fields that different threads write, 128 bytes apart.
@usableFromInline internal struct DequeBlock: ~Copyable, Sendable {
  /// Index of the oldest word; only grows, by thieves and by the owner taking the last word.
  @usableFromInline let top = Atomic<Int>(0)
  @usableFromInline let padding1 = InlineArray<15, UInt>(repeating: 0)
  /// Index behind the newest word; written by the owner.
  @usableFromInline let bottom = Atomic<Int>(0)
  /// A value that `top` has had, for the owner's fullness test; the owner's alone.
  @usableFromInline let knownTop = Atomic<Int>(0)
  @usableFromInline let padding2 = InlineArray<14, UInt>(repeating: 0)
  /// Address of the current buffer; written by the owner.
  @usableFromInline let buffer: Atomic<UInt>
  @usableFromInline let padding3 = InlineArray<15, UInt>(repeating: 0)

  internal init(buffer address: UInt) { buffer = Atomic(address) }
}

extension WordDeque {
  /// A buffer with `count` free slots from index `bottom` on; owner only.
  @inlinable @inline(__always)
  internal func makeRoom(for count: Int, at bottom: Int) -> DequeBuffer {
    // relaxed, both: only the owner writes these.
    let buffer = unsafe DequeBuffer(address: block.pointee.buffer.load(ordering: .relaxed))
    let knownTop = unsafe block.pointee.knownTop.load(ordering: .relaxed)
    if bottom &+ count &- knownTop <= buffer.capacity { return buffer }
    return grow(buffer, for: count, at: bottom)
  }

  /// Looks at the true `top`, and doubles the buffer when that is not enough.
  @usableFromInline internal func grow(
    _ buffer: DequeBuffer, for count: Int, at bottom: Int
  ) -> DequeBuffer {
    // acquiring, edge SlotReleased: thieves up to `top` have read their slots before the owner
    // writes them again.
    let top = unsafe block.pointee.top.load(ordering: .acquiring)
    // relaxed: only the owner uses it.
    unsafe block.pointee.knownTop.store(top, ordering: .relaxed)
    var capacity = buffer.capacity
    if bottom + count - top <= capacity { return buffer }
    while bottom + count - top > capacity { capacity *= 2 }
    let larger = DequeBuffer.allocate(capacity: capacity, previous: buffer.address)
    for index in top..<bottom {
      // relaxed, both: the owner's own words; published by the release below.
      larger.setWord(buffer.word(at: index), at: index)
    }
    // releasing, edge BufferPublished: pairs with the acquire in steal(). A thief with the old
    // buffer finds the same words there: the owner writes no slot of it any more, and it is kept
    // until the deque is destroyed.
    unsafe block.pointee.buffer.store(larger.address, ordering: .releasing)
    return larger
  }
}

/// A ring of slots: a header with the index mask and the address of the buffer before it, then the
/// words.
@safe @usableFromInline internal struct DequeBuffer: Sendable {
  @usableFromInline internal nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt>>

  private static let maskWord = 0
  private static let previousWord = 1
  /// Slots begin one separation behind the header, which every thread reads.
  @inlinable internal static var headerWords: Int { 16 }

  /// The buffer at `address`, which `allocate` returned.
  @inlinable internal init(address: UInt) {
    // SAFETY: addresses of buffers are never 0 and live as long as their deque.
    unsafe words = .at(address)
  }

  /// A buffer of `capacity` empty slots, a power of two.
  static func allocate(capacity: Int, previous: UInt) -> DequeBuffer {
    let size = (headerWords + capacity) * MemoryLayout<Atomic<UInt>>.stride
    // Zeroed memory is a valid Atomic<UInt>: the type is a trivial word.
    let buffer = DequeBuffer(address: AlignedMemory.allocate(byteCount: size))
    // relaxed, both: nobody else knows the buffer yet. A thief comes to know it by edge
    // BufferPublished, and to know the first buffer of a deque together with the deque, by edge
    // DequePublished.
    unsafe buffer.words[maskWord].store(UInt(capacity - 1), ordering: .relaxed)
    unsafe buffer.words[previousWord].store(previous, ordering: .relaxed)
    return buffer
  }

  @inlinable internal var address: UInt { UInt(bitPattern: unsafe words) }

  @inlinable internal var mask: Int {
    // relaxed: never changes after allocation; edge BufferPublished orders the first read,
    // DequePublished that of a first buffer.
    unsafe Int(bitPattern: words[0].load(ordering: .relaxed))
  }

  @inlinable internal var capacity: Int { mask &+ 1 }

  /// The word in the slot of an index; relaxed, for reasons given at the call.
  @inlinable @inline(__always) internal func word(at index: Int) -> UInt {
    // SAFETY: masking keeps the offset inside the buffer.
    unsafe words[Self.headerWords &+ (index & mask)].load(ordering: .relaxed)
  }

  /// Fills the slot of an index; relaxed, for reasons given at the call.
  @inlinable @inline(__always) internal func setWord(_ word: UInt, at index: Int) {
    // SAFETY: masking keeps the offset inside the buffer.
    unsafe words[Self.headerWords &+ (index & mask)].store(word, ordering: .relaxed)
  }

  /// Frees this buffer and the ones before it.
  func freeAll() {
    var address = address
    while address != 0 {
      // relaxed: the caller has excluded every other thread.
      let previous = unsafe DequeBuffer(address: address).words[Self.previousWord]
        .load(ordering: .relaxed)
      AlignedMemory.free(address)
      address = previous
    }
  }
}
