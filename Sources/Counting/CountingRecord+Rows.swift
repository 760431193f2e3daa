// SPDX-License-Identifier: Apache-2.0

package import Results

extension CountingRecord {
  /// The rows of a results file: each count with its repetitions behind it.
  ///
  /// - Parameters:
  ///   - run: what all rows have in common.
  ///   - code: who was counted.
  ///   - flags: what is wrong with every figure of this build.
  package func rows(
    run: RunIdentity, code: CodeIdentity, flags: Set<QualityFlag> = []
  ) -> [ResultRow] {
    cases.flatMap { counted -> [ResultRow] in
      func row(_ metric: Metric) -> ResultRow {
        ResultRow(
          run: run, code: code,
          subject: Subject(
            suite: "core", benchmark: counted.planned.key.benchmark,
            params: counted.planned.key.params, scheduler: counted.planned.key.scheduler,
            allocator: counted.planned.assignment.allocator.rawValue, metric: metric,
            statistic: .p50),
          value: nil, quality: flags)
      }
      guard let counts = counted.counts else {
        var failed = row(.instructions)
        let word = counted.failure?.qualityWord ?? QualityFlag.interrupted.text
        failed.quality.insert(
          QualityFlag(text: word) ?? .unavailable(reason: nameReplacingOthers(in: word)))
        return [failed]
      }
      let repetitions = counts.repetitions
      return [
        (Metric.instructions, counts.counts.instructions, repetitions.map(\.instructions)),
        (.readModifyWrites, counts.counts.readModifyWrites, repetitions.map(\.readModifyWrites)),
        (.allocations, counts.counts.allocations, repetitions.map(\.allocations)),
      ].flatMap { metric, count, values in
        var aggregate = row(metric)
        aggregate.value = count.value
        aggregate.processCount = repetitions.count
        aggregate.operationCount = repetitions.reduce(0) { $0 + $1.operations }
        let single = values.indices.map { index in
          var row = row(metric)
          row.value = values[index]
          row.process = index + 1
          row.processCount = 1
          row.operationCount = repetitions[index].operations
          return row
        }
        return [aggregate] + single
      }
    }
  }

  /// The rows of a baseline; nil when a case failed, since a baseline is whole.
  package func baselineRows(commit: String?) -> [CountsBaselineRow]? {
    guard !wasInterrupted else { return nil }
    var rows: [CountsBaselineRow] = []
    for counted in cases {
      guard let counts = counted.counts else { return nil }
      rows.append(
        CountsBaselineRow(
          key: counted.planned.key, counts: counts.counts, toolchain: counts.toolchain,
          commit: commit))
    }
    return rows
  }
}
