// SPDX-License-Identifier: Apache-2.0

/// An operation that is made of others; its class is a `StateBit.selfEndingClass`.
protocol Composite: Operation {
  /// The others, which are cancelled with it; those that come later see to that themselves.
  ///
  /// On every cancelling thread, with no lock held.
  func membersToCancel() -> [Operation]

  /// The queue that holds the others while it executes, and must become empty.
  var membersQueue: OperationQueue? { get }

  /// What it still needs in order to finish; what it will start, before it executes.
  var membersLeft: LeftToDo { get }
}

extension Composite {
  var membersLeft: LeftToDo { .members(membersLeftOfQueue) }

  /// What its queue holds, which others may have added as well; before that has any, what it will
  /// start.
  var membersLeftOfQueue: [Operation] {
    let members = membersQueue?.membersForDiagnosis() ?? []
    return members.isEmpty ? membersToCancel() : members
  }
}

extension Operation {
  /// The operation, if it is made of others.
  final var composite: (any Composite)? { endsItself ? self as? any Composite : nil }
}
