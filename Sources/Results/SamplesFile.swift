// SPDX-License-Identifier: Apache-2.0

/// The columns of a samples file, in order.
///
/// Names end in their unit; every figure is that of the whole iteration.
package enum SampleColumn: String, CaseIterable, Sendable {
  case runID = "run_id"
  case suite, benchmark, params, scheduler, process, iteration, operations
  case buildNs = "build_ns"
  case runNs = "run_ns"
  case releaseNs = "release_ns"
  case cpuNs = "cpu_ns"
  case voluntarySwitches = "voluntary_switches"
  case involuntarySwitches = "involuntary_switches"
}

/// Every timed iteration of a run, one row each, beside the figures that are made of them.
///
/// A plain value; any thread. CSV as results files are. O(bytes).
package struct SamplesFile: Sendable {
  /// The file so far: a header, then rows.
  package private(set) var bytes: [UInt8]
  private let run: RunID

  /// What was measured of one iteration, in the order of the columns from `operations` on.
  package struct Figures: Sendable {
    let text: String

    package init(
      operations: Int, buildNanoseconds: UInt64, runNanoseconds: UInt64,
      releaseNanoseconds: UInt64, cpuNanoseconds: UInt64, voluntarySwitches: Int64,
      involuntarySwitches: Int64
    ) {
      text =
        "\(operations),\(buildNanoseconds),\(runNanoseconds),\(releaseNanoseconds),"
        + "\(cpuNanoseconds),\(voluntarySwitches),\(involuntarySwitches)"
    }
  }

  /// A file of that run without rows.
  package init(run: RunID) {
    self.run = run
    bytes = Array(csvLine(SampleColumn.allCases.map(\.rawValue)).utf8)
  }

  /// Adds the iterations of a process, in their order.
  ///
  /// - Parameters:
  ///   - subject: whose process it was.
  ///   - process: counted from 1, as in the figures.
  package mutating func append(
    _ iterations: some Sequence<Figures>, of subject: Subject, process: Int
  ) {
    let cells = [
      run.text, subject.suite, subject.benchmark, subject.params.text, subject.scheduler,
      String(process),
    ]
    let lead = Array(csvLine(cells).utf8).dropLast()
    for (index, figures) in iterations.enumerated() {
      bytes += lead
      bytes += ",\(index + 1),\(figures.text)\n".utf8
    }
  }
}
