// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// The child's side of the result pipe: lines of text, gathered so that the orchestrator sleeps while the child measures.
///
/// ```
/// ready <allocator proof>
/// iteration <wall> <build> <run> <release> <cpu> <voluntary> <involuntary> <operations>
/// latency <ns> <ns> …
/// queue-delay <ns> <ns> …
/// metric <name> <value>
/// wrong <message>
/// unavailable <reason> <detail>
/// epoch <ns>
/// rss <bytes>
/// done
/// ```
///
/// Free text is escaped as `LineText` does.
struct ResultStream {
  private var pending: [UInt8] = []
  private let descriptor: Int32
  private static let flushThreshold = 60_000
  private static let samplesPerLine = 512

  init(descriptor: Int32 = Int32(SHIM_CHILD_RESULTS)) {
    self.descriptor = descriptor
    pending.reserveCapacity(Self.flushThreshold + 8192)
  }

  /// The assignment is understood and the allocator is proven.
  mutating func ready(proof: String) {
    add("ready \(LineText.escaped(proof))")
    flush()
  }

  /// One timed iteration with everything that it reported.
  mutating func iteration(_ sample: IterationSample, _ recorder: IterationRecorder) {
    add(
      "iteration \(sample.wallNanoseconds) \(sample.buildNanoseconds) \(sample.runNanoseconds) "
        + "\(sample.releaseNanoseconds) \(sample.cpuNanoseconds) \(sample.voluntarySwitches) "
        + "\(sample.involuntarySwitches) \(sample.operations)")
    add("latency", recorder.latencies)
    add("queue-delay", recorder.queueDelays)
    for (metric, value) in recorder.values { add("metric \(metric) \(value)") }
  }

  /// The measurement failed for a reason that the child knows.
  mutating func failure(_ failure: MeasurementFailure) {
    switch failure {
    case .wrongAnswer(let message): add("wrong \(LineText.escaped(message))")
    case .unavailable(let reason, let detail):
      add("unavailable \(reason) \(LineText.escaped(detail))")
    case .crashed, .hung, .interrupted:
      fatalError("ResultStream: a child cannot report '\(failure.qualityWord)'; only its end can")
    }
  }

  /// What one refresh of jemalloc's statistics takes here.
  mutating func jemallocEpoch(nanoseconds: Int64) { add("epoch \(nanoseconds)") }

  /// Every iteration was measured.
  mutating func peakRSS(_ bytes: Int64) { add("rss \(bytes)") }

  /// The last line of a measurement that is complete or has said why it is not.
  mutating func done() {
    add("done")
    flush()
  }

  private mutating func add(_ name: String, _ samples: [UInt64]) {
    var start = 0
    while start < samples.count {
      let end = min(start + Self.samplesPerLine, samples.count)
      var line = name
      for sample in samples[start..<end] { line += " \(sample)" }
      add(line)
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
    // Nobody reads any more: the orchestrator is gone, and the liveness thread is about to say the same.
    if error != 0 { _exit(125) }
  }
}
