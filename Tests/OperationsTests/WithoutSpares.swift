// SPDX-License-Identifier: Apache-2.0

import Scheduling
import WorkStealingBackend

/// Work stealing where the system refuses every thread but the workers'.
final class WithoutSpares: ForkJoinScheduler, AwaitingScheduler {
  private let inner: WorkStealingScheduler

  /// Thieves take up to `stealBatch` jobs at a time.
  init(workers: Int, stealBatch: Int) {
    var configuration = WorkStealingConfiguration()
    configuration.compensationLimit = 0
    configuration.stealBatch = stealBatch
    inner = WorkStealingScheduler(workers: workers, configuration: configuration)
  }

  var identity: SchedulerIdentity { inner.identity }
  var workerCount: Int { inner.workerCount }
  func submit(_ jobs: consuming JobChain) { inner.submit(jobs) }
  func willBlock() { inner.willBlock() }
  func didUnblock() { inner.didUnblock() }
  func compensatePastLimit() -> Bool { false }

  func offer(_ job: Job) -> Bool { inner.offer(job) }
  func takeBack(_ job: Job) -> Bool { inner.takeBack(job) }
  func help(
    worker: Int, in band: PriorityBand, wants: (Job) -> Bool, use: (Job) -> StolenJobUse
  ) -> Bool { inner.help(worker: worker, in: band, wants: wants, use: use) }

  func submitAwaited(_ jobs: consuming JobChain) { inner.submitAwaited(jobs) }
  func helpAwaited(ifAccepted accepts: (Job) -> Bool) -> Bool {
    inner.helpAwaited(ifAccepted: accepts)
  }
  func withdraw(where accepts: (Job) -> Bool) -> JobChain { inner.withdraw(where: accepts) }
}
