// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// What timed waits for one operation sleep on: one for all of them, so that polling leaves nothing
/// behind.
///
/// The cold table has a reference, and so has the record on the successor list; whoever finishes
/// the operation opens it.
final class FinishGate: Sendable {
  private let futex = Futex()

  /// Lets everybody go on; the finisher's.
  func open() {
    // release, edge Woken: pairs with the acquire in `wait`.
    futex.word.value.store(1, ordering: .releasing)
    futex.wake(Int(Int32.max))
  }

  /// Sleeps until the gate is open or the deadline has passed, ns of the monotonic clock.
  func wait(until deadline: UInt64) {
    // acquire, edge Woken: as above.
    while futex.word.value.load(ordering: .acquiring) == 0 {
      guard futex.wait(while: 0, until: deadline) else { return }
    }
  }

  /// The gate of an operation, made on first use; nil once the operation has finished.
  static func of(_ operation: Operation) -> FinishGate? {
    let made = FinishGate()
    let gate = operation.withColdTableMade { table in
      if table.finishGate == nil { table.finishGate = made }
      return table.finishGate ?? made
    }
    guard gate === made else { return gate }
    let record = RecordPointer.allocate(capacity: 1)
    unsafe record.initialize(
      to: SuccessorRecord(gate: UInt(bitPattern: Unmanaged.passRetained(gate).toOpaque())))
    if unsafe operation.pushRecord(record) { return gate }
    // Others may have found it in the table meanwhile.
    unsafe openAndFree(record)
    return nil
  }

  /// Opens the gate of a record that is in no list any more, and frees the record.
  static func openAndFree(_ record: RecordPointer) {
    // SAFETY: the owner comes from `of`, and the record has kept it.
    let gate = unsafe Unmanaged<FinishGate>.at(record.pointee.owner).takeRetainedValue()
    unsafe record.deinitialize(count: 1)
    unsafe record.deallocate()
    gate.open()
  }
}
