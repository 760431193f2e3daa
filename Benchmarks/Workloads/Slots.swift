// SPDX-License-Identifier: Apache-2.0

internal import CSlots

/// One 32-bit counter per operation, which the operation's body increments.
///
/// A value of one word: closures capture it without a reference count, so that a figure shows the
/// scheduler and not two threads that fight over one count. Valid while the `SlotStorage` lives
/// that made it. Each slot belongs to one operation; whoever reads it must be ordered after that
/// operation.
package struct Slots: Sendable {
  /// What the functions of `CSlots` take, for bodies written in C.
  package let handle: UInt

  /// Adds one to the slot and returns its new value.
  ///
  /// Not atomic, so that ThreadSanitizer sees an operation that runs twice at a time.
  @discardableResult
  @inline(__always) package func increment(_ index: Int) -> UInt32 {
    let runs = PlantedFault.runs(slot: index)
    guard runs == 1 else { return plantedIncrement(index, runs) }
    return cslots_increment(handle, index)
  }

  /// What a body is told that leaves another number of marks is what it would be told otherwise:
  /// the wrong mark is all that a check can find.
  @inline(never) private func plantedIncrement(_ index: Int, _ runs: Int) -> UInt32 {
    let told = cslots_read(handle, index) &+ 1
    for _ in 0..<runs { _ = cslots_increment(handle, index) }
    return told
  }

  /// As `increment`, for a body that has asked for a planted fault as a whole.
  @inline(__always) func mark(_ index: Int) { _ = cslots_increment(handle, index) }

  /// The slot's value.
  @inline(__always) package func value(_ index: Int) -> UInt32 { cslots_read(handle, index) }

  /// Counts a violation unless `predecessor` has run as often as an operation whose slot has just
  /// become `value`.
  @inline(__always) package func expect(_ predecessor: Int, at value: UInt32) {
    if cslots_read(handle, predecessor) != value { cslots_count_violation(handle) }
  }
}

/// Owns the slots of one workload and compares them with the serial reference.
///
/// The serial reference of every slot workload is a loop that runs each body once, in an order that
/// the dependencies allow: after the n-th iteration every slot holds n and no body has seen a
/// predecessor that had not run.
package final class SlotStorage {
  /// The slots.
  package let slots: Slots
  /// How many there are.
  package let count: Int
  /// Iterations compared so far.
  private var iterations: UInt32 = 0

  /// Zeroed slots; `count` is 1 or more.
  package init(count: Int) throws(Memory) {
    let handle = cslots_make(count)
    guard handle != 0 else { throw Memory(slots: count) }
    slots = Slots(handle: handle)
    self.count = count
  }

  deinit { cslots_drop(slots.handle) }

  /// There is no memory for that many slots.
  package struct Memory: Error {
    /// How many were asked for.
    package var slots: Int
  }

  /// True before the first comparison.
  package var isFirstIteration: Bool { iterations == 0 }

  /// The slots in order.
  package var values: [UInt32] { (0..<count).map { slots.value($0) } }

  /// Sets one slot, without any body.
  package func overwrite(_ index: Int, with value: UInt32) {
    cslots_write(slots.handle, index, value)
  }

  /// Compares every slot with the serial reference of one more iteration; nil when all agree.
  ///
  /// O(count). Call it when every operation has finished.
  package func differenceAfterIteration() -> String? {
    iterations &+= 1
    return difference(expected: iterations)
  }

  /// Compares every slot with a value, and the violations with none; nil when all agree.
  package func difference(expected: UInt32) -> String? {
    var wrong = 0
    var first = ""
    for index in 0..<count where slots.value(index) != expected {
      if wrong == 0 { first = "slot \(index) holds \(slots.value(index)), expected \(expected)" }
      wrong += 1
    }
    if wrong > 0 {
      return "\(wrong) of \(count) slots are wrong: \(first); each body must run exactly once"
    }
    let violations = cslots_violations(slots.handle)
    guard violations == 0 else {
      return "\(violations) bodies started before a predecessor had run; expected none"
    }
    return nil
  }
}

/// One time stamp per operation, set by its body.
///
/// A value of one word, for the reason given at `Slots`. Valid while the `StampStorage` lives that
/// made it.
package struct Stamps: Sendable {
  /// What the functions of `CSlots` take, for bodies written in C.
  package let handle: UInt

  /// The stamp; 0 until its operation has run.
  @inline(__always) package subscript(_ index: Int) -> UInt64 {
    get { cstamps_read(handle, index) }
    nonmutating set { cstamps_write(handle, index, newValue) }
  }
}

/// Owns the stamps of one workload.
package final class StampStorage {
  /// The stamps.
  package let stamps: Stamps
  /// How many there are.
  package let count: Int

  /// Zeroed stamps; `count` is 1 or more.
  package init(count: Int) throws(SlotStorage.Memory) {
    let handle = cstamps_make(count)
    guard handle != 0 else { throw SlotStorage.Memory(slots: count) }
    stamps = Stamps(handle: handle)
    self.count = count
  }

  deinit { cslots_drop(stamps.handle) }

  /// Sets every stamp to 0.
  package func clear() {
    for index in 0..<count { stamps[index] = 0 }
  }

  /// The stamps in order.
  package var values: [UInt64] { (0..<count).map { stamps[$0] } }
}
