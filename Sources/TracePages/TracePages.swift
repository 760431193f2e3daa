// SPDX-License-Identifier: Apache-2.0

internal import Encodings
package import Traces

/// Pictures of a recording, and its forms for other tools.
///
/// Pure functions; any thread. What is as large as the recording comes in pieces: a sink gets one
/// after the other, and what it throws ends the export.
package enum TracePages {
  /// The JSON of Chrome's trace viewer, for Perfetto.
  ///
  /// O(operations log operations + edges).
  package static func perfetto<Failure: Error>(
    _ trace: Trace, to sink: @escaping ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var export = PerfettoExport(trace, to: sink)
    try export.write()
  }

  /// The JSON of Chrome's trace viewer, whole.
  package static func perfetto(_ trace: Trace) -> [UInt8] {
    collected { sink in perfetto(trace, to: sink) }
  }

  /// The same as a gzip file, which Perfetto and Chrome's trace viewer open as it is.
  package static func compressedPerfetto(_ trace: Trace) -> [UInt8] {
    Gzip.compressed(perfetto(trace))
  }

  /// Stacks for flame graphs, by class and name.
  ///
  /// As large as there are different names. O(operations log operations).
  package static func folded(_ trace: Trace, weight: FoldedWeight) -> [UInt8] {
    FoldedStacks(trace, weight: weight).bytes
  }

  /// One line of CSV for each operation, below a line with the names of the columns.
  ///
  /// Causes of waits are those of the report, if there is one. O(operations).
  package static func operationsCSV<Failure: Error>(
    _ trace: Trace, report: TraceReport? = nil, to sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    try OperationsTable.write(trace, report: report, to: sink)
  }

  /// The lines of CSV, whole.
  package static func operationsCSV(_ trace: Trace, report: TraceReport? = nil) -> [UInt8] {
    collected { sink in operationsCSV(trace, report: report, to: sink) }
  }

  /// The page of a profile, which holds the recording, its findings and the library that draws
  /// them.
  ///
  /// - Parameters:
  ///   - comparison: what it shows of two schedulers, and which of them it is of: 0 or 1.
  package static func html<Failure: Error>(
    _ trace: Trace, report: TraceReport, comparison: (PageComparison, place: Int)? = nil,
    charts: ChartLibrary, to sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let data = PageData(trace, report: report, comparison: comparison)
    try HTMLPage.write(trace.header, data, charts: charts, to: sink)
  }

  /// The page of a profile, whole.
  package static func html(
    _ trace: Trace, report: TraceReport, comparison: (PageComparison, place: Int)? = nil,
    charts: ChartLibrary
  ) -> [UInt8] {
    collected { sink in
      html(trace, report: report, comparison: comparison, charts: charts, to: sink)
    }
  }

  /// The timeline of the threads and the steals between them as one SVG, which cannot be zoomed
  /// into.
  ///
  /// O(operations log operations).
  package static func svg(_ trace: Trace) -> [UInt8] {
    collected { sink in TracePicture.write(trace, to: sink) }
  }

  private static func collected(_ write: (@escaping ([UInt8]) -> Void) -> Void) -> [UInt8] {
    var whole: [UInt8] = []
    write { whole += $0 }
    return whole
  }
}
