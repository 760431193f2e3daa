// SPDX-License-Identifier: Apache-2.0

package import Results
internal import Statistics

/// A small sound run: two metrics with their aggregates, processes, a failure and a comparison.
package enum SampleRows {
  package static let code = CodeIdentity(
    commit: ExportSamples.code().commit, branch: "main", isDirty: false,
    binary: "b:85944171f73967e8", toolchain: "Swift 6.3.1")

  package static func subject(
    _ metric: Metric, _ statistic: Statistic, scheduler: String = "work-stealing"
  ) -> Subject {
    Subject(
      suite: "core", benchmark: "fan",
      params: RowParameters([("workers", "2"), ("rounds", "200"), ("width", "1000")]),
      scheduler: scheduler, allocator: "jemalloc", metric: metric, statistic: statistic)
  }

  /// Ten rows; in the file they are lines 2 to 11.
  package static func rows() -> [ResultRow] {
    let run = ExportSamples.identity()
    let wall = subject(.wall, .p50)
    let tail = subject(.latency, .p999)
    let failed = subject(.wall, .p50, scheduler: "dispatch")
    return [
      ResultRow(
        run: run, code: code, subject: wall, value: 431.25,
        interval: Interval(low: 428.1, high: 434, level: 0.95), processCount: 2,
        iterationCount: 60, operationCount: 12_000_000, state: .steady),
      ResultRow(run: run, code: code, subject: wall, value: 430.5, processCount: 1, process: 1),
      ResultRow(run: run, code: code, subject: wall, value: 432, processCount: 1, process: 2),
      ResultRow(
        run: run, code: code, subject: tail, value: 1e16, processCount: 2,
        quality: [.noisy, .steal]),
      ResultRow(run: run, code: code, subject: tail, value: 0.1 + 0.2, processCount: 1, process: 1),
      ResultRow(run: run, code: code, subject: failed, value: nil, quality: [.crashed, .debug]),
      ResultRow(
        run: run, code: code, subject: failed, value: nil, process: 1,
        quality: [.unavailable(reason: "no-pmu")]),
      ResultRow(
        run: run, code: code, subject: subject(.wall, .ratio), value: 1.02,
        interval: Interval(low: 0.99, high: 1.05, level: 0.95), processCount: 12, role: .b,
        design: ComparisonDesign(text: Column.design.example)),
      ResultRow(
        run: run, code: code, subject: subject(.wall, .ratio), value: 1.01, process: 1, role: .b,
        pairID: 0),
      ResultRow(run: run, code: code, subject: subject(.peakRSS, .p50), value: 5_242_880),
    ]
  }

  /// The file of `rows`.
  package static func text() -> String {
    String(decoding: CSV.encode(rows()), as: UTF8.self)
  }

  /// The file of `rows` with the cell of one line replaced.
  package static func text(line: Int, _ column: Column, _ cell: String) -> String {
    var lines = text().split(separator: "\n", omittingEmptySubsequences: false)
    var cells = lines[line - 1].split(separator: ",", omittingEmptySubsequences: false)
    cells[column.index] = Substring(cell)
    lines[line - 1] = Substring(cells.joined(separator: ","))
    return lines.joined(separator: "\n")
  }
}
