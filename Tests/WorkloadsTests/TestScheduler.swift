// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Testing

/// Schedulers that the tests run every workload on.
enum TestScheduler: String, CaseIterable, CustomTestStringConvertible {
  case inline
  case newestFirst = "newest-first"

  var testDescription: String { rawValue }

  func make(workers: Int) -> any Scheduler {
    switch self {
    case .inline: InlineScheduler()
    case .newestFirst: NewestFirstScheduler()
    }
  }
}
