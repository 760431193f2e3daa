// SPDX-License-Identifier: Apache-2.0

/// How much a scheduler obeys the bands of its jobs: what `Scheduler.priorityPolicy` says, and what
/// some can be set to.
public enum PriorityPolicy: String, CaseIterable, Sendable {
  /// The most urgent job that the worker can see starts first.
  case strict
  /// The most urgent of the worker's own jobs starts first; others are not asked for more urgent
  /// ones.
  case relaxed
  /// Bands are ignored.
  case none
}
