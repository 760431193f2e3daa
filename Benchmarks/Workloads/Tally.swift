// SPDX-License-Identifier: Apache-2.0

internal import CSlots
package import Harness

/// Sums to which the bodies of a workload add, for programs whose operations are not known before.
///
/// A value of one word, for the reason given at `Slots`. Valid while the `TallyStorage` lives that
/// made it. Threads add to stripes of their own; any thread.
package struct Tally: Sendable {
  /// What the functions of `CSlots` take.
  package let handle: UInt

  /// Counts one operation: what it adds to the checksum, whether it added no other, and how deep it
  /// lies.
  @inline(__always) package func count(checksum: UInt64, isLeaf: Bool, depth: Int) {
    for _ in 0..<PlantedFault.runs() { mark(checksum: checksum, isLeaf: isLeaf, depth: depth) }
  }

  @inline(__always) private func mark(checksum: UInt64, isLeaf: Bool, depth: Int) {
    let stripe = ctally_stripe()
    ctally_add(handle, stripe, 0, 1)
    if isLeaf { ctally_add(handle, stripe, 1, 1) }
    ctally_add(handle, stripe, 2, checksum)
    ctally_raise(handle, stripe, UInt64(depth))
  }
}

/// What a tally says of one iteration.
package struct TallyTotals: Hashable, Sendable, CustomStringConvertible {
  /// Operations that were counted.
  package var operations: UInt64 = 0
  /// Those that added no other.
  package var leaves: UInt64 = 0
  /// Sum of what each one is, modulo 2^64: differs when one ran twice in the place of another.
  package var checksum: UInt64 = 0
  /// The greatest depth, 0 for the first operation.
  package var depth: Int = 0

  /// No operation.
  package init() {}

  /// Counts one operation, as `Tally.count` does.
  package mutating func count(checksum: UInt64, isLeaf: Bool, depth: Int) {
    operations += 1
    if isLeaf { leaves += 1 }
    self.checksum &+= checksum
    self.depth = max(self.depth, depth)
  }

  /// All four, for messages.
  package var description: String {
    "\(operations) operations, \(leaves) leaves, depth \(depth), "
      + "checksum 0x\(String(checksum, radix: 16))"
  }
}

/// Owns the tally of one workload.
package final class TallyStorage {
  /// The tally.
  package let tally: Tally

  /// Sums of 0.
  package init(for name: String) throws(WorkloadError) {
    let handle = ctally_make()
    guard handle != 0 else { throw .noMemory(name, Int(CTALLY_STRIPES)) }
    tally = Tally(handle: handle)
  }

  deinit { cslots_drop(tally.handle) }

  /// The sums, which are 0 afterwards; call it when every operation has finished.
  package func take() -> TallyTotals {
    var totals = TallyTotals()
    totals.operations = ctally_sum(tally.handle, 0)
    totals.leaves = ctally_sum(tally.handle, 1)
    totals.checksum = ctally_sum(tally.handle, 2)
    totals.depth = Int(ctally_greatest(tally.handle))
    ctally_clear(tally.handle)
    return totals
  }

  /// Compares the sums with those of the serial reference and returns them to 0.
  package func check(_ name: String, expected: TallyTotals) throws(WrongAnswer) {
    let found = take()
    guard found == expected else {
      throw WrongAnswer(
        message: "\(name): \(found); expected \(expected), as the serial reference has it")
    }
  }
}
