// SPDX-License-Identifier: Apache-2.0

import DispatchBackend
import Scheduling
import Testing
import ThreadPoolBackend
import WorkStealingBackend

/// Schedulers that the tests run every workload on.
enum TestScheduler: String, CaseIterable, CustomTestStringConvertible {
  case inline
  case newestFirst = "newest-first"
  case dispatch
  case threadPool = "thread-pool"
  case workStealing = "work-stealing"

  var testDescription: String { rawValue }

  func make(workers: Int) -> any Scheduler {
    switch self {
    case .inline: InlineScheduler()
    case .newestFirst: NewestFirstScheduler()
    case .dispatch: DispatchScheduler(workers: workers)
    case .threadPool: ThreadPoolScheduler(workers: workers)
    case .workStealing: WorkStealingScheduler(workers: workers)
    }
  }
}
