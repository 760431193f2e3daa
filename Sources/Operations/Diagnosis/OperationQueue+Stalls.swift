// SPDX-License-Identifier: Apache-2.0

extension OperationQueue {
  /// Why the operations of this queue that are not running are not (contract 117).
  ///
  /// Any thread. Linear in the members of the queue, whatever they wait for, and all edges between these. Asks the
  /// overridden `isReady` of operations that are held back by nothing else.
  public func stallReport() -> StallReport { StallSurvey.report(on: [self]) }

  /// As `stallReport()` of a queue, for every queue of the process that holds something, dropped ones included
  /// (contract 117, 133).
  public static func stallReport() -> StallReport {
    StallSurvey.report(on: LiveQueues.withMembers())
  }

  /// Cancels everything the queue holds and lets it go, from a suspended queue and under limit 0 too (contract 133).
  ///
  /// Everything is cancelled first, so nothing that has not begun begins. Then the queue is resumed, and a limit of 0
  /// becomes 1 for operations that need a slot to be finished. What executes goes on to its end. The queue may be used
  /// again; what others add meanwhile is theirs to cancel. Does not wait.
  public func invalidate() {
    cancelMembers()
    if stockLimit == 0 { setLimit(1) }
    setSuspended(false)
  }

  /// Members in submission order, barriers included, closures through their façades.
  func membersForDiagnosis() -> [Operation] {
    registry.membersAndClosures().compactMap { member in
      switch member {
      case .operation(let operation): operation.isSealed ? nil : operation
      case .closure(let handle): handle.facade
      }
    }
  }
}
