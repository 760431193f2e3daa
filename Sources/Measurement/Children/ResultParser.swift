// SPDX-License-Identifier: Apache-2.0

internal import Harness

/// The orchestrator's side of the result pipe: turns the lines of `ResultStream` into an outcome.
///
/// Pure. Feed bytes in any portions; a malformed line ends it, and the rest is ignored.
struct ResultParser {
  /// What has been said so far.
  private(set) var outcome = MeasurementOutcome()
  /// True after the line `done`.
  private(set) var isDone = false
  /// The first thing that could not be understood.
  private(set) var complaint: String?
  private var partialLine: [UInt8] = []
  private static let longestLine = 1 << 20

  mutating func feed(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      guard complaint == nil else { return }
      if byte == UInt8(ascii: "\n") {
        take(String(decoding: partialLine, as: UTF8.self))
        partialLine.removeAll(keepingCapacity: true)
      } else {
        partialLine.append(byte)
        if partialLine.count > Self.longestLine { complain("a line of more than 1 MiB") }
      }
    }
  }

  private mutating func complain(_ finding: String) {
    if complaint == nil { complaint = finding }
  }

  private mutating func take(_ line: String) {
    let space = line.firstIndex(of: " ") ?? line.endIndex
    let word = line[..<space]
    let rest = line[space...].dropFirst()
    let understood =
      switch word {
      case _ where isDone: false
      case "ready": ready(rest)
      case "iteration": iteration(rest)
      case "latency": samples(rest, into: \.latencies)
      case "queue-delay": samples(rest, into: \.queueDelays)
      case "metric": metric(rest)
      case "wrong": wrong(rest)
      case "unavailable": unavailable(rest)
      case "rss": peakRSS(rest)
      case "epoch": epoch(rest)
      case "done": done(rest)
      default: false
      }
    if !understood { complain("line '\(line.prefix(120))'") }
  }

  private mutating func ready(_ text: Substring) -> Bool {
    guard outcome.allocatorProof == nil, let proof = LineText.plain(text) else { return false }
    outcome.allocatorProof = proof
    return true
  }

  private mutating func iteration(_ text: Substring) -> Bool {
    let fields = text.split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count == 8 else { return false }
    let times = fields[..<5].compactMap { UInt64($0) }
    guard times.count == 5, let voluntary = Int64(fields[5]), let involuntary = Int64(fields[6]),
      let operations = Int(fields[7]), operations > 0
    else { return false }
    let sample = IterationSample(
      buildNanoseconds: times[1], runNanoseconds: times[2], releaseNanoseconds: times[3],
      cpuNanoseconds: times[4], voluntarySwitches: voluntary, involuntarySwitches: involuntary,
      operations: operations)
    guard sample.wallNanoseconds == times[0] else { return false }
    outcome.iterations.append(sample)
    return true
  }

  private mutating func samples(
    _ text: Substring, into list: WritableKeyPath<MeasurementOutcome, [UInt64]>
  ) -> Bool {
    let fields = text.split(separator: " ", omittingEmptySubsequences: false)
    let values = fields.compactMap { UInt64($0) }
    guard values.count == fields.count else { return false }
    outcome[keyPath: list].append(contentsOf: values)
    return true
  }

  private mutating func metric(_ text: Substring) -> Bool {
    let fields = text.split(separator: " ", omittingEmptySubsequences: false)
    guard fields.count == 2, let value = Double(fields[1]), value.isFinite else { return false }
    outcome.metrics[String(fields[0]), default: []].append(value)
    return true
  }

  private mutating func wrong(_ text: Substring) -> Bool {
    guard let message = LineText.plain(text) else { return false }
    outcome.failure = .wrongAnswer(message)
    return true
  }

  private mutating func unavailable(_ text: Substring) -> Bool {
    let fields = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard fields.count == 2, !fields[0].isEmpty, let detail = LineText.plain(fields[1])
    else { return false }
    outcome.failure = .unavailable(reason: String(fields[0]), detail: detail)
    return true
  }

  private mutating func peakRSS(_ text: Substring) -> Bool {
    guard let bytes = Int(text), bytes > 0 else { return false }
    outcome.peakRSS = bytes
    return true
  }

  private mutating func epoch(_ text: Substring) -> Bool {
    guard let nanoseconds = Int64(text), nanoseconds >= 0 else { return false }
    outcome.jemallocEpochNanoseconds = nanoseconds
    return true
  }

  private mutating func done(_ text: Substring) -> Bool {
    isDone = text.isEmpty
    return isDone
  }
}
