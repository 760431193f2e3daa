// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization
import TestSupport
import Testing

extension SchedulerSeam {
  /// Schedulers without threads, nested and helping.
  @Suite struct InlineTests {
    @Test func nestedInlineSchedulersKeepTheirOwnQueues() {
      let (outer, inner) = (InlineScheduler(), InlineScheduler())
      let log = Log()
      outer.submit {
        log.note(1)
        inner.submit {
          log.note(2)
          outer.submit { log.note(5) }
          inner.submit { log.note(3) }
        }
        log.note(4)
      }
      #expect(log.values == [1, 2, 3, 4, 5])
    }

    @Test func aJobThatHelpsInlineRunsTheBestQueuedJob() {
      let scheduler = InlineScheduler()
      let log = Log()
      scheduler.submit {
        scheduler.submit(band: .low) { log.note(3) }
        scheduler.submit(band: .high) { log.note(1) }
        if scheduler.help() { log.note(2) }
      }
      #expect(log.values == [1, 2, 3])
      #expect(!scheduler.help())
      #expect(scheduler.counters.helped == 1)
    }
  }
}
