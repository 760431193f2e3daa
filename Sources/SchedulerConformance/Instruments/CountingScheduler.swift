// SPDX-License-Identifier: Apache-2.0

package import Scheduling
internal import Synchronization

/// Another scheduler with a count of the jobs that were submitted to it, those that its jobs made
/// ready not included.
package final class CountingScheduler: AwaitingScheduler {
  private let submitted = Atomic<Int>(0)
  private let inner: any Scheduler

  package init(_ inner: any Scheduler) { self.inner = inner }

  /// Jobs that came through `submit`.
  package var submittedJobs: Int { submitted.load(ordering: .relaxed) }  // relaxed: a count.

  package var identity: SchedulerIdentity { inner.identity }
  package var workerCount: Int { inner.workerCount }
  package var waitsByHelping: Bool { inner.waitsByHelping }
  package var counters: SchedulerCounters { inner.counters }
  package var priorityPolicy: PriorityPolicy { inner.priorityPolicy }
  package var awaiting: (any AwaitingScheduler)? { inner.awaiting.map { _ in self } }
  package func help() -> Bool { inner.help() }
  package func withdraw(where accepts: (Job) -> Bool) -> JobChain {
    asked.withdraw(where: accepts)
  }
  package func willBlock() { inner.willBlock() }
  package func compensatePastLimit() -> Bool { inner.compensatePastLimit() }
  package func didUnblock() { inner.didUnblock() }
  package func shutDown() { inner.shutDown() }
  package func submit(_ jobs: consuming JobChain) {
    submitted.add(jobs.count, ordering: .relaxed)  // relaxed: as above
    inner.submit(jobs)
  }
  package func submitAwaited(_ jobs: consuming JobChain) {
    submitted.add(jobs.count, ordering: .relaxed)  // relaxed: as above
    asked.submitAwaited(jobs)
  }
  package func helpAwaited(ifAccepted accepts: (Job) -> Bool) -> Bool {
    asked.helpAwaited(ifAccepted: accepts)
  }
  private var asked: any AwaitingScheduler {
    guard let awaiting = inner.awaiting else {
      fatalError("CountingScheduler was asked as one for waits, which its `awaiting` denies.")
    }
    return awaiting
  }
}
