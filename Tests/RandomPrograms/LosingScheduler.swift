// SPDX-License-Identifier: Apache-2.0

package import Scheduling
import Synchronization
import ThreadPoolBackend

/// Loses a chain of jobs now and then: with it the tests show that programs find what is wrong.
package final class LosingScheduler: Scheduler {
  private let base = ThreadPoolScheduler(workers: 1)
  private let count = Atomic<Int>(0)

  package init() {}

  package var identity: SchedulerIdentity { base.identity }
  package var workerCount: Int { base.workerCount }

  package func submit(_ jobs: consuming JobChain) {
    // relaxed: any chain will do.
    guard count.wrappingAdd(1, ordering: .relaxed).newValue % 100 != 0 else {
      var lost = jobs
      while lost.popFirst() != nil {}
      return
    }
    base.submit(jobs)
  }

  package func shutDown() {}
}
