// SPDX-License-Identifier: Apache-2.0

import Scheduling

extension Scheduler {
  /// The scheduler as forks see it, to be kept: a fork has no time to ask, nor to look whether
  /// there is one.
  var forker: any ForkJoinScheduler { forkJoin ?? DecliningForker.instance }
}

/// Stands where the workers hold no jobs: takes no half of a fork, so that the caller runs both.
private final class DecliningForker: ForkJoinScheduler {
  static let instance = DecliningForker()

  var workerCount: Int { 1 }

  func submit(_ jobs: consuming JobChain) {
    Fault.internalError("jobs were submitted to what only declines forks")
  }

  func offer(_ job: Job) -> Bool { false }
  func takeBack(_ job: Job) -> Bool { false }
  func help(
    worker: Int, in band: PriorityBand, wants: (Job) -> Bool, use: (Job) -> StolenJobUse
  ) -> Bool { false }
}
