// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// A thread's free closure nodes; full batches go to and come from a list that all threads share.
///
/// Owner thread only, but for the shared list.
@safe final class ClosureNodeCache {
  private static let batch = 64
  private static let blockCells = 1024

  /// Nodes linked through their headers.
  private struct Batch: Sendable {
    var first: UInt
    var count: Int
  }
  private static let batches = Locked<[Batch]>([])

  private var first: UInt = 0
  private var count = 0

  /// A cell that stands for nothing.
  @inline(__always) func take() -> UnsafeMutablePointer<ClosureNode> {
    if first == 0 { refill() }
    // SAFETY: the list holds initialised cells.
    let node = unsafe UnsafeMutablePointer<ClosureNode>(bitPattern: first).unsafelyUnwrapped
    // relaxed: this thread's list.
    first = unsafe node.pointee.header.link.load(ordering: .relaxed)
    // It has often left the caches since it was freed.
    shim_prefetch(first)
    count -= 1
    return unsafe node
  }

  /// Takes back a cell whose state is retired.
  @inline(__always) func give(_ node: UnsafeMutablePointer<ClosureNode>) {
    unsafe node.pointee.header.link.store(first, ordering: .relaxed)  // relaxed: as above
    first = UInt(bitPattern: node)
    count += 1
    if count >= 2 * Self.batch { shareBatch() }
  }

  /// The thread ends.
  func giveBackAll() {
    guard first != 0 else { return }
    let all = Batch(first: first, count: count)
    first = 0
    count = 0
    Self.batches.withLock { $0.append(all) }
  }

  @inline(never) private func refill() {
    if let batch = Self.batches.withLock({ $0.popLast() }) {
      first = batch.first
      count = batch.count
      return
    }
    let block = AlignedMemory.allocate(byteCount: ClosureNode.cellSize * Self.blockCells)
    for index in (0..<UInt(Self.blockCells)).reversed() {
      // SAFETY: fresh memory of the right size and alignment (tested).
      let node = unsafe UnsafeMutablePointer<ClosureNode>(
        bitPattern: block + index * UInt(ClosureNode.cellSize)
      ).unsafelyUnwrapped
      unsafe node.initialize(to: ClosureNode())
      unsafe node.pointee.header.link.store(first, ordering: .relaxed)  // relaxed: fresh
      first = UInt(bitPattern: node)
    }
    count = Self.blockCells
  }

  @inline(never) private func shareBatch() {
    let shared = Batch(first: first, count: Self.batch)
    var last = first
    for _ in 1..<Self.batch { last = Self.next(last) }
    first = Self.next(last)
    count -= Self.batch
    unsafe UnsafeMutablePointer<ClosureNode>(bitPattern: last)?.pointee.header.link
      .store(0, ordering: .relaxed)  // relaxed: published by the lock
    Self.batches.withLock { $0.append(shared) }
  }

  private static func next(_ word: UInt) -> UInt {
    // relaxed: this thread's list.
    unsafe UnsafeMutablePointer<ClosureNode>(bitPattern: word)?.pointee.header.link
      .load(ordering: .relaxed) ?? 0
  }
}
