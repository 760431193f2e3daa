// SPDX-License-Identifier: Apache-2.0

import Harness
import Scheduling
import Testing
import Traces
import Workloads

@testable import Profiling

extension RecordingTests {
  /// Every workload gives its answer while all of it is recorded, and the recording can be so.
  @Suite struct RecordedWorkloadTests {
    @Test(arguments: WorkloadCatalog.all.map(\.name), Kind.allCases)
    func everyWorkloadGivesItsAnswerWhileItIsRecorded(name: String, kind: Kind) throws {
      let description = try #require(WorkloadCatalog.all.first { $0.name == name })
      let workload = try description.make(description.parameters(at: .smoke))
      let scheduler = kind.make(workers: 2)
      var options = RecordingOptions()
      options.ringEvents = 1 << 18
      let recorder = try Recorder.begin(options)
      var iterations = IterationRecorder()
      let answer = Result { try workload.iterate(on: scheduler, recorder: &iterations) }
      let trace = recorder.end(scheduler: kind.rawValue, workers: 2)
      scheduler.shutDown()
      try answer.get()
      #expect(trace.header.droppedEvents == 0)
      let report = TraceReport(trace)
      #expect(report.order.violations == 0, "\(report.order)")
      #expect(!trace.operations.isEmpty)
      // An attempt that was given up may run on behind the answer.
      #expect(trace.operations.allSatisfy { $0.finished != nil || $0.cancelRequested != nil })
      #expect(report.little.holds, "\(report.little.rows.filter { !$0.holds })")
      guard let graph = report.graph else { return }
      #expect(graph.workAndSpan.span <= report.window.makespan)
    }
  }
}
