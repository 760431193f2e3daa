// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// The child's side of the report pipe: lines, gathered so that the orchestrator sleeps while the
/// child measures, and delivered whenever a command is done.
struct ReportWriter {
  private var pending: [UInt8] = []
  private let descriptor: Int32
  private static let flushThreshold = 60_000
  private static let valuesPerLine = 512

  init(descriptor: Int32 = Int32(SHIM_CHILD_RESULTS)) {
    self.descriptor = descriptor
    pending.reserveCapacity(Self.flushThreshold + 8192)
  }

  /// The first line.
  mutating func say(_ identity: ChildIdentity) { add(identity.line) }

  /// Anything that answers a command, or the end: delivered at once.
  mutating func answer(_ report: ChildReport) {
    add(report.line)
    flush()
  }

  /// One sample with everything that it reported: delivered when there is enough, or an answer.
  mutating func sample(_ sample: IterationSample, _ recorder: IterationRecorder) {
    add(sample.line)
    for (metric, samples) in recorder.samples { series(metric, samples) }
    values(recorder.values)
  }

  /// Values of other metrics: delivered like samples.
  mutating func values(_ values: [(metric: String, value: Double)]) {
    for (metric, value) in values { add(ValueReport(metric: metric, value: value).line) }
  }

  /// A metric without a value: delivered like samples.
  mutating func missing(_ report: MissingReport) { add(report.line) }

  private mutating func series(_ metric: String, _ values: [UInt64]) {
    var start = 0
    while start < values.count {
      let end = min(start + Self.valuesPerLine, values.count)
      add(SeriesReport(metric: metric, values: Array(values[start..<end])).line)
      start = end
    }
  }

  private mutating func add(_ line: String) {
    pending.append(contentsOf: line.utf8)
    pending.append(UInt8(ascii: "\n"))
    if pending.count >= Self.flushThreshold { flush() }
  }

  private mutating func flush() {
    // SAFETY: the array lives through the call and holds so many bytes.
    let error = unsafe shim_write_all(descriptor, pending, UInt64(pending.count))
    pending.removeAll(keepingCapacity: true)
    // Nobody reads any more: the orchestrator is gone, and the liveness thread is about to say the
    // same.
    if error != 0 { _exit(125) }
  }
}
