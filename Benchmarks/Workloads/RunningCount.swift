// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Counts the bodies that run at a time, and notes when there are more than allowed.
///
/// Any thread.
final class RunningCount: Sendable {
  private let running = Atomic(0)
  private let excess = Atomic(0)
  private let disturbed = Atomic(0)

  /// Runs a body of which no more than `most` may run at a time.
  func within(_ most: Int, _ body: () -> Void) {
    // relaxed, all: a count in the order of one word; that the policy orders bodies is what is
    // asked, so nothing here may order them.
    if running.wrappingAdd(1, ordering: .relaxed).newValue > most {
      excess.wrappingAdd(1, ordering: .relaxed)
    }
    body()
    running.wrappingSubtract(1, ordering: .relaxed)
  }

  /// Runs a body beside which no counted one may run.
  func alone(_ body: () -> Void) {
    // relaxed: as above.
    if running.load(ordering: .relaxed) != 0 { disturbed.wrappingAdd(1, ordering: .relaxed) }
    body()
    if running.load(ordering: .relaxed) != 0 { disturbed.wrappingAdd(1, ordering: .relaxed) }
  }

  /// What was wrong; nil when nothing was.
  ///
  /// Every body has ended.
  var finding: String? {
    // relaxed, both: the queue is quiet.
    let excess = excess.load(ordering: .relaxed)
    let disturbed = disturbed.load(ordering: .relaxed)
    guard excess + disturbed > 0 else { return nil }
    return "\(excess) bodies ran beside more than the policy allows, \(disturbed) barriers beside "
      + "another body; expected none"
  }
}
