// SPDX-License-Identifier: Apache-2.0

/// An operation that is made of others; its class is a `StateBit.selfEndingClass`.
protocol Composite: Operation {
  /// The others, which are cancelled with it; those that come later see to that themselves.
  ///
  /// On every cancelling thread, with no lock held.
  func membersToCancel() -> [Operation]

  /// What it still needs in order to finish; what it will start, before it executes.
  var membersLeft: LeftToDo { get }
}

extension Composite {
  var membersLeft: LeftToDo { .members(membersToCancel()) }
}

extension Operation {
  /// The operation, if it is made of others.
  final var composite: (any Composite)? { endsItself ? self as? any Composite : nil }
}
