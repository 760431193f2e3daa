// SPDX-License-Identifier: Apache-2.0

/// What it costs to come from one operation to the next, as this run shows it.
package struct OverheadSamples: Sendable, Equatable {
  /// Between two operations of one thread, where the second had been ready before the first one
  /// ended.
  package let betweenOperations: PhaseSummary
  /// From ready to start on the thread of the predecessor that released it, as its next operation.
  package let handingOver: PhaseSummary
  /// From ready to start on another thread than that of the predecessor, which was asleep at ready
  /// and ran nothing before.
  package let parkToWake: PhaseSummary
  /// The same where it was awake and free at ready.
  package let spinToTake: PhaseSummary

  /// The overhead of an operation, ns: the median between two of them, else that of handing over;
  /// nil where the run shows neither.
  package var perOperation: Int64? { betweenOperations.p50 ?? handingOver.p50 }
}
