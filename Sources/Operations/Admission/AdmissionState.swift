// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What the policy of a queue lets start, as of one instant.
package struct AdmissionState: Sendable {
  /// Nothing starts until the queue is resumed.
  package let isSuspended: Bool
  /// Operations that hold a slot.
  package let running: Int
  /// Most that may hold one; nil without a limit.
  package let limit: Int?

  /// One more may start, but for suspension.
  package var hasRoom: Bool { limit.map { running < $0 } ?? true }
}

extension OperationQueue {
  /// Any thread.
  package final var admission: AdmissionState {
    let word = policy.load(ordering: .acquiring)  // acquire, edge PolicyChanged
    return AdmissionState(
      isSuspended: PolicyWord.isSuspended(word), running: Int(PolicyWord.running(word)),
      limit: PolicyWord.isUnlimited(word) ? nil : Int(PolicyWord.limit(word)))
  }
}
