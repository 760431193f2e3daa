// SPDX-License-Identifier: Apache-2.0

/// How a reference system is told how many workers it may have; happens outside the figures.
package struct NativeLimit: Sendable {
  /// Limits the system to that many workers until `close` gets what it returned.
  package var open: @Sendable (_ workers: Int) -> UInt
  /// Ends the limit.
  package var close: @Sendable (UInt) -> Void

  /// A limit; see the properties.
  package init(
    open: @escaping @Sendable (Int) -> UInt, close: @escaping @Sendable (UInt) -> Void
  ) {
    self.open = open
    self.close = close
  }

  /// For a system that takes no limit, or takes it with every call.
  package static let none = NativeLimit(open: { _ in 0 }, close: { _ in })
}
