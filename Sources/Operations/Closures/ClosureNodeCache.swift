// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Synchronization

/// A thread's free closure nodes: a batch that is used and a full one, of which those beyond go to
/// a list that all threads share.
///
/// Owner thread only, but for the shared list.
@safe final class ClosureNodeCache {
  private static let blockCells = 1024

  /// Nodes linked through their headers.
  private struct Batch: Sendable {
    /// As many make a batch full.
    static let size = 64

    var first: UInt = 0
    var count = 0
  }
  private static let batches = Locked<[Batch]>([])

  private var used = Batch()
  /// Full, or empty.
  private var other = Batch()

  /// A cell that stands for nothing.
  @inline(__always) func take() -> UnsafeMutablePointer<ClosureNode> {
    if used.first == 0 { refill() }
    // SAFETY: the list holds initialised cells.
    let node = unsafe UnsafeMutablePointer<ClosureNode>.at(used.first)
    // relaxed: this thread's list.
    used.first = unsafe node.pointee.header.link.load(ordering: .relaxed)
    // It has often left the caches since it was freed.
    shim_prefetch(used.first)
    used.count -= 1
    return unsafe node
  }

  /// Takes back a cell whose state is retired.
  @inline(__always) func give(_ node: UnsafeMutablePointer<ClosureNode>) {
    if used.count >= Batch.size { putAside() }
    unsafe node.pointee.header.link.store(used.first, ordering: .relaxed)  // relaxed: as above
    used.first = UInt(bitPattern: node)
    used.count += 1
  }

  /// The thread ends.
  func giveBackAll() {
    putAside()
    putAside()
  }

  @inline(never) private func refill() {
    used = other
    other = Batch()
    guard used.first == 0 else { return }
    used = Self.batches.withLock { $0.popLast() } ?? Self.makeBatch()
  }

  private static func makeBatch() -> Batch {
    var made = Batch()
    let block = AlignedMemory.allocate(byteCount: ClosureNode.cellSize * blockCells)
    for index in (0..<UInt(blockCells)).reversed() {
      // SAFETY: fresh memory of the right size and alignment (tested).
      let node = unsafe UnsafeMutablePointer<ClosureNode>.at(
        block + index * UInt(ClosureNode.cellSize))
      unsafe node.initialize(to: ClosureNode())
      unsafe node.pointee.header.link.store(made.first, ordering: .relaxed)  // relaxed: fresh
      made.first = UInt(bitPattern: node)
    }
    made.count = blockCells
    return made
  }

  /// The batch that is used becomes the other one, which all threads get.
  @inline(never) private func putAside() {
    let shared = other
    other = used
    used = Batch()
    if shared.first != 0 { Self.batches.withLock { $0.append(shared) } }
  }
}
