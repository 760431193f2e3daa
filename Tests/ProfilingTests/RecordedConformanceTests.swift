// SPDX-License-Identifier: Apache-2.0

import SchedulerConformance
import Scheduling
import Testing
import Traces

@testable import Profiling

extension RecordingTests {
  /// What the conformance kit asks of schedulers holds while it is recorded.
  @Suite struct RecordedConformanceTests {
    @Test(arguments: [Kind.threadPool, .workStealing])
    func theKitFindsNothingWhileItIsRecorded(_ kind: Kind) throws {
      var options = SchedulerConformance.Options()
      options.name = kind.rawValue
      options.workers = [2]
      options.writesProgress = false
      let recorder = try Recorder.begin()
      let report = SchedulerConformance.run(Check.seam + Check.operations, options) {
        kind.make(workers: $0)
      }
      let trace = recorder.end()
      #expect(report.isPassing, "\(report)")
      #expect(trace.operations.count > 1000)
      // What was overwritten may leave an operation with some of its times.
      for operation in trace.operations {
        guard let ready = operation.ready, let started = operation.started else { continue }
        #expect(ready <= started + max(0, trace.header.clockSkewNanoseconds))
      }
    }
  }
}
