// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
package import Synchronization

/// A 32-bit word that threads can sleep on.
///
/// The word lies alone in 128 bytes at a fixed address, from a store that is recycled and never
/// given back to the system. So a wake that comes late, when the owner has gone, hits mapped memory
/// and at worst wakes a thread that looks again and sleeps on.
@safe package struct Futex: ~Copyable, Sendable {
  private nonisolated(unsafe) let cell: UnsafeMutablePointer<FutexWord>

  /// A word that holds 0.
  package init() { unsafe cell = FutexStore.shared.take() }

  /// The word itself; at its fixed address.
  package var word: FutexWord {
    // SAFETY: the cell is initialised memory of this type for the life of the process.
    @inline(__always) _read { yield unsafe cell.pointee }
  }

  /// Sleeps while the word holds `expected`, until a wake, a signal or the deadline.
  ///
  /// Returns false when the deadline has passed, else true; the caller looks again in either case.
  package borrowing func wait(while expected: UInt32, until deadline: UInt64? = nil) -> Bool {
    unsafe Self.wait(cell, while: expected, until: deadline)
  }

  /// Wakes at most `count` threads that sleep on the word.
  package borrowing func wake(_ count: Int) {
    unsafe shim_futex_wake(cell, Int32(clamping: count))
  }

  internal static func wait(
    _ cell: UnsafeMutablePointer<FutexWord>, while expected: UInt32, until deadline: UInt64?
  ) -> Bool {
    var timeout: Int64 = -1
    if let deadline {
      let now = MonotonicTime.nanoseconds()
      guard deadline > now else { return false }
      timeout = Int64(clamping: deadline - now)
    }
    // SAFETY: the cell is never freed; the kernel only reads it.
    unsafe shim_futex_wait(cell, expected, timeout)
    return true
  }

  deinit { unsafe FutexStore.shared.giveBack(cell) }
}

/// What lies in a futex cell.
package struct FutexWord: ~Copyable, Sendable {
  /// The word; every ordering is up to the owner of the futex.
  package let value = Atomic<UInt32>(0)
}

/// Every futex word of the process; a free list over blocks that are never freed.
@safe internal final class FutexStore: Sendable {
  static let shared = FutexStore()

  private static let cellSize = 128
  private static let cellsPerBlock = 32
  private let free = Locked<[UInt]>([])

  func take() -> UnsafeMutablePointer<FutexWord> {
    let address = free.withLock { free in
      if free.isEmpty {
        let size = Self.cellSize * Self.cellsPerBlock
        let block = AlignedMemory.allocate(byteCount: size)
        for cell in 0..<Self.cellsPerBlock {
          let address = block + UInt(cell * Self.cellSize)
          // SAFETY: fresh memory of this size.
          unsafe Self.cell(at: address).initialize(to: FutexWord())
          free.append(address)
        }
      }
      return free.removeLast()
    }
    let cell = unsafe Self.cell(at: address)
    // relaxed: a late waker may still touch the word, and does not mind its value.
    unsafe cell.pointee.value.store(0, ordering: .relaxed)
    return unsafe cell
  }

  /// The cell at an address that came from `take`'s allocation.
  private static func cell(at address: UInt) -> UnsafeMutablePointer<FutexWord> {
    unsafe .at(address)
  }

  func giveBack(_ cell: UnsafeMutablePointer<FutexWord>) {
    let address = UInt(bitPattern: cell)
    free.withLock { $0.append(address) }
  }
}
