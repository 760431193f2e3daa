// SPDX-License-Identifier: Apache-2.0

import Operations

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
    StallSurvey.report(on: OperationQueue.allWithMembers())
  }
}
