// SPDX-License-Identifier: Apache-2.0

/// What a thread of a scheduler does at an instant.
package enum WorkerState: UInt8, Sendable, Equatable, CaseIterable {
  /// It has not begun to work for the scheduler, or does so no more.
  case absent
  /// It runs the body of an operation.
  case runs
  /// It runs a job that is no operation.
  case otherJob
  /// A job in it blocks.
  case blocked
  /// It is between two jobs: the scheduler's own path.
  case between
  /// It looks round and is about to find something: no failed attempt and no park follows in this
  /// search.
  case finding
  /// It looks round where nothing is: a failed attempt or a park follows.
  case searchingInVain
  /// It sleeps, and nobody has woken it.
  case parked
  /// It has been woken and does not run yet.
  case waking
  /// It waits for a processor in the middle of a job.
  case displacedInJob
  /// It waits for a processor and has no job.
  case displaced
  /// It runs no job, and its scheduler does not tell what it does instead.
  case unknown

  /// It has a job, whether or not that job goes on.
  package var isOccupied: Bool {
    switch self {
    case .runs, .otherJob, .blocked, .displacedInJob: true
    default: false
    }
  }
}
