// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results

extension RowWriter {
  /// Every timed iteration of a run as a samples file, also of processes that failed later.
  ///
  /// Iterations of processes that count and are not timed are not among them.
  package func samples(_ record: RunRecord) -> [UInt8] {
    var file = SamplesFile(run: run.runID)
    for (group, contestants) in zip(record.plan.groups, record.processes) {
      for (contestant, processes) in zip(group.contestants, contestants) {
        let subject = row(of: contestant, in: group).subject
        for process in processes {
          file.append(
            process.outcome.iterations.lazy.map(SamplesFile.Figures.init), of: subject,
            process: process.round + 1)
        }
      }
    }
    return file.bytes
  }
}

extension SamplesFile.Figures {
  init(_ sample: IterationSample) {
    self.init(
      operations: sample.operations, buildNanoseconds: sample.buildNanoseconds,
      runNanoseconds: sample.runNanoseconds, releaseNanoseconds: sample.releaseNanoseconds,
      cpuNanoseconds: sample.cpuNanoseconds, voluntarySwitches: sample.voluntarySwitches,
      involuntarySwitches: sample.involuntarySwitches)
  }
}
