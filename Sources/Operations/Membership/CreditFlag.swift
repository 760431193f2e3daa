// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// Tells workers to hold no credits of a queue back.
///
/// In memory that is never freed: a worker looks at it once more when its credit may already have
/// been taken, which may have been the last thing that kept the queue. Flags go from queue to
/// queue; a worker that reads another queue's flag subtracts a credit too early or finds none left.
@safe struct CreditFlag: Sendable {
  private let address: UInt
  private static let free = Locked<[UInt]>([])

  /// A flag that is not set.
  init() {
    address = Self.free.withLock { $0.popLast() } ?? AlignedMemory.allocate(byteCount: 8)
    set(false)
  }

  /// For the next queue.
  func giveBack() {
    set(false)
    Self.free.withLock { $0.append(address) }
  }

  private var cell: UnsafeMutablePointer<Atomic<Bool>> {
    // SAFETY: the address is that of eight bytes of zeros, made in `init`, which are a cleared
    // flag; never freed.
    unsafe UnsafeMutablePointer(bitPattern: address).unsafelyUnwrapped
  }

  @inline(__always) var isSet: Bool {
    // relaxed: the heavy barrier of whoever sets it orders it with the credit stored before; of a
    // clearing nothing depends on when it is seen.
    unsafe cell.pointee.load(ordering: .relaxed)
  }

  func set(_ isSet: Bool) {
    // relaxed: under the queue's `control`, or nobody else has the queue. After it is set the heavy
    // barrier follows. After it is cleared none does: a worker that still sees it set returns its
    // credit at once, which is right at any time.
    unsafe cell.pointee.store(isSet, ordering: .relaxed)
  }
}
