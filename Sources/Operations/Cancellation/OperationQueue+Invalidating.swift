// SPDX-License-Identifier: Apache-2.0

extension OperationQueue {
  /// Cancels everything the queue holds and lets it go, from a suspended queue and under limit 0
  /// too (contract 133).
  ///
  /// Everything is cancelled first, so nothing that has not begun begins. (Inside of an override of
  /// `cancel()` that is called with others, those whose turn is yet to come are left to that, and
  /// may begin before.) Then the queue is resumed, and a limit of 0 becomes 1 for operations that
  /// need a slot to be finished; so it is with the queues inside of groups, timeouts and retries
  /// among the members, and of theirs. What executes goes on to its end. The queue may be used
  /// again; what others add meanwhile is theirs to cancel. Does not wait.
  public func invalidate() {
    cancelMembers()
    var owners = registry.membersAndClosures().compactMap { member in
      if case .operation(let operation) = member { operation } else { nil }
    }
    var next = 0
    while next < owners.count {
      let composite = owners[next].composite
      next += 1
      // What is cancelled with it; what others have added to a retry's queue is theirs.
      owners += (composite as? GroupOperation)?.operations ?? composite?.membersToCancel() ?? []
      composite?.letMembersGo()
    }
    letMembersGo()
  }

  /// Neither the limit nor a suspension keeps the members from finishing any more.
  func letMembersGo() {
    if storedLimit == 0 { setLimit(1) }
    setSuspended(false)
  }
}
