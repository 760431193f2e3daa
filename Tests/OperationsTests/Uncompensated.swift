// SPDX-License-Identifier: Apache-2.0

import Scheduling
import WorkStealingBackend

/// Workers with small stacks, and never another thread.
final class Uncompensated: ForkJoinScheduler {
  private let inner: WorkStealingScheduler

  init(workers: Int) {
    var configuration = WorkStealingConfiguration()
    configuration.stackSize = 256 << 10
    configuration.compensationLimit = 0
    inner = WorkStealingScheduler(workers: workers, configuration: configuration)
  }

  var identity: SchedulerIdentity { inner.identity }
  var workerCount: Int { inner.workerCount }
  func submit(_ jobs: consuming JobChain) { inner.submit(jobs) }
  func offer(_ job: Job) -> Bool { inner.offer(job) }
  func takeBack(_ job: Job) -> Bool { inner.takeBack(job) }
  func help(
    worker: Int, in band: PriorityBand, wants: (Job) -> Bool, use: (Job) -> StolenJobUse
  ) -> Bool { false }
  func compensatePastLimit() -> Bool { false }
}
