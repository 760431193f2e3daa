// SPDX-License-Identifier: Apache-2.0

extension OperationQueue {
  /// Why the operations of this queue that are not running are not (contract 117).
  ///
  /// Any thread. Linear in the members of the queue, whatever they wait for, all edges between
  /// these, and the members of queues in which they wait for a slot. Asks the overridden `isReady`
  /// and the conditions of operations that are held back by nothing else. An operation that was
  /// started by hand is in no queue and is found only if a member waits for it.
  public func stallReport() -> StallReport { StallSurvey.report(on: [self]) }

  /// As `stallReport()` of a queue, for every queue of the process that holds something, dropped
  /// ones included (contract 117, 133).
  public static func stallReport() -> StallReport {
    StallSurvey.report(on: LiveQueues.withMembers())
  }

  /// Cancels everything the queue holds and lets it go, from a suspended queue and under limit 0
  /// too (contract 133).
  ///
  /// Everything is cancelled first, so nothing that has not begun begins. (Inside of an override of
  /// `cancel()` that is called with others, those whose turn is yet to come are left to that, and
  /// may begin before.) Then the queue is resumed, and a limit of 0 becomes 1 for operations that
  /// need a slot to be finished; so it is with groups among the members, and with theirs. What
  /// executes goes on to its end. The queue may be used again; what others add meanwhile is theirs
  /// to cancel. Does not wait.
  public func invalidate() {
    cancelMembers()
    var owners = registry.membersAndClosures().compactMap { member in
      if case .operation(let operation) = member { operation } else { nil }
    }
    var next = 0
    while next < owners.count {
      let owner = owners[next]
      next += 1
      guard case .members(let members) = owner.remainder else { continue }
      owner.letMembersGo()
      owners += members
    }
    if stockLimit == 0 { setLimit(1) }
    setSuspended(false)
  }

  /// Members in submission order, barriers included, closures through their façades; also those
  /// that have finished and have not left, because their completion blocks run.
  func membersForDiagnosis() -> [Operation] {
    registry.membersAndClosures().compactMap { member in
      let operation: Operation? =
        switch member {
        case .operation(let operation): operation
        case .closure(let handle): handle.facade
        }
      guard let operation, !operation.isStraggler else { return nil }
      return operation
    }
  }
}
