// SPDX-License-Identifier: Apache-2.0

/// An operation that is made of others; its class is a `StateBit.selfEndingClass`.
protocol Composite: Operation {
  /// The others, which are cancelled with it; those that come later see to that themselves.
  ///
  /// On every cancelling thread, with no lock held.
  func membersToCancel() -> [Operation]

  /// What it still needs in order to finish; what it will start, before it executes.
  var membersLeft: LeftToDo { get }

  /// Its own queue, from its start to its end.
  var innerQueue: OperationQueue? { get }

  /// The queue that holds it is invalidated: nothing of its own keeps its members from finishing.
  func letMembersGo()
}

extension Composite {
  var membersLeft: LeftToDo { membersInQueue }

  /// Others may have added to the queue, which must become empty.
  var membersInQueue: LeftToDo {
    let members = innerQueue?.membersForDiagnosis() ?? []
    return .members(members.isEmpty ? membersToCancel() : members)
  }

  func letMembersGo() { innerQueue?.letMembersGo() }
}

extension Operation {
  /// The operation, if it is made of others.
  final var composite: (any Composite)? { endsItself ? self as? any Composite : nil }
}
