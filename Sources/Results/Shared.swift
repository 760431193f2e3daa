// SPDX-License-Identifier: Apache-2.0

/// A value that many rows have in common, in the size of a reference.
///
/// A value like any other: a change is seen by nobody else. Two that come from one are equal
/// without a look at what they hold.
struct Shared<Value: Hashable & Sendable>: Hashable, Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  init(_ value: Value) { box = Box(value) }

  /// What it holds.
  var value: Value {
    get { box.value }
    set { box = Box(newValue) }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.box === right.box || left.box.value == right.box.value
  }

  func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}

/// A count that may be missing, in the size of a count.
///
/// None comes before all others.
struct OptionalCount: Hashable, Comparable, Sendable {
  /// No count is negative, so that this one says that there is none.
  private static let missing = Int.min
  private var raw = missing

  init(_ value: Int?) { raw = value ?? Self.missing }

  /// The count; nil when there is none.
  var value: Int? {
    get { raw == Self.missing ? nil : raw }
    set { raw = newValue ?? Self.missing }
  }

  static func < (left: Self, right: Self) -> Bool { left.raw < right.raw }
}
