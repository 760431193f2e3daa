// SPDX-License-Identifier: Apache-2.0

/// A value followed by enough room that the next field lies on lines of its own; for values of one
/// word.
///
/// A type's alignment stays 8 whatever its padding, so the first padded field of a class needs room
/// in front as well.
@usableFromInline package struct Padded<Value: ~Copyable>: ~Copyable {
  /// The value.
  package let value: Value
  private let room = InlineArray<15, UInt>(repeating: 0)

  /// A padded value.
  package init(_ value: consuming Value) { self.value = value }
}

extension Padded: Sendable where Value: Sendable & ~Copyable {}

/// Room between a class's header and a field that other threads write.
package struct LineGap: Sendable {
  private let room = InlineArray<16, UInt>(repeating: 0)

  /// The room.
  package init() {}
}
