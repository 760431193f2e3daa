// SPDX-License-Identifier: Apache-2.0

/// Reads a `.ninja_log`, version 5 or later: start, end (ms), modification time, output and command
/// hash per line.
struct NinjaLog {
  /// Per edge: its duration by its last entry, or -1.
  private(set) var durations: [Int64]

  /// How long a build took, and its tasks together, ms.
  private struct Build {
    var work: Int64 = 0
    var end: Int64 = 0
  }
  /// The build that the line read last is of.
  private var build = Build()
  /// The one with most work.
  private var largestBuild = Build()

  /// Lines whose output no build statement makes.
  private(set) var unmatchedLines = 0

  /// Lines in all, the header not counted.
  private(set) var lineCount = 0

  /// Newest version known when this was written; newer ones are read alike, with a note.
  static let newestKnownVersion = 7

  /// Version of the log.
  private(set) var version = 0

  private let source: SourceText
  private var at = 0

  /// Reads the log in `bytes` against the edges of `manifest`.
  ///
  /// O(bytes).
  init(_ bytes: [UInt8], path: String, manifest: NinjaManifest) throws(TaskGraphError) {
    source = SourceText(path: path, bytes: bytes)
    durations = Array(repeating: -1, count: manifest.edgeCount)
    try readHeader()
    while at < bytes.count { try readLine(manifest) }
  }

  private mutating func readHeader() throws(TaskGraphError) {
    let prefix = "# ninja log v"
    guard source.bytes.starts(with: prefix.utf8) else {
      throw source.failure(
        at: 0,
        source.bytes.isEmpty ? "the log is empty" : "the first line is no header of a Ninja log",
        expected: "`\(prefix)5` or later", remedy: "build once from scratch with Ninja 1.5 or later"
      )
    }
    at = prefix.utf8.count
    version = Int(try readInteger("the version of the log", end: UInt8(ascii: "\n")))
    if version < 5 {
      throw source.failure(
        at: prefix.utf8.count, "the log has version \(version)", expected: "5 or later",
        remedy: "build once from scratch with Ninja 1.5 or later")
    }
  }

  private mutating func readLine(_ manifest: NinjaManifest) throws(TaskGraphError) {
    let tab = UInt8(ascii: "\t")
    let line = at
    let start = try readInteger("the start in ms", end: tab)
    let end = try readInteger("the end in ms", end: tab)
    _ = try readInteger("the modification time", end: tab)
    let output = at
    while at < source.bytes.count, source.bytes[at] != tab, source.bytes[at] != 0x0A { at += 1 }
    let path = source.bytes[output..<at]
    guard source[at] == tab else { throw truncated("a tab after the output") }
    while at < source.bytes.count, source.bytes[at] != 0x0A { at += 1 }
    guard at < source.bytes.count else { throw truncated("the end of the line after the hash") }
    at += 1
    // Both are below 2^63 and not negative, so the difference cannot overflow.
    let (nanoseconds, overflow) = (end - start).multipliedReportingOverflow(by: 1_000_000)
    if end < start || overflow {
      throw source.failure(
        at: line, "the duration is \(end - start) ms", expected: "an end not before the start",
        remedy: "delete the log and build again")
    }
    lineCount += 1
    guard let index = manifest.paths.find(path), case let edge = Int(manifest.producer[index]),
      edge >= 0,
      !manifest.isPhony[edge]
    else {
      unmatchedLines += 1
      return
    }
    durations[edge] = nanoseconds
    // A build writes its lines as its tasks end; times begin anew with the next one.
    if end < build.end { build = Build() }
    build.end = end
    build.work = build.work.addingReportingOverflow(end - start).partialValue
    if build.work > largestBuild.work { largestBuild = build }
  }

  /// How many tasks ran at a time on average in the build with most work; nil where none took time.
  var tasksAtATime: Double? {
    guard largestBuild.end > 0, largestBuild.work > 0 else { return nil }
    return Double(largestBuild.work) / Double(largestBuild.end)
  }

  private func truncated(_ expected: String) -> TaskGraphError {
    source.failure(
      at: at, "found \(source.describe(at))", expected: expected,
      remedy: source[at] == UInt8(ascii: "\r")
        ? "Ninja ends lines in line feeds alone: convert the log back, such as with `tr -d '\\r'`"
        : "the log looks truncated: let a build end normally, or remove this line")
  }

  /// Digits up to `end`, which is stepped over.
  ///
  /// A modification time may be negative.
  private mutating func readInteger(_ what: String, end: UInt8) throws(TaskGraphError) -> Int64 {
    let start = at
    var value: Int64 = 0
    while source[at] >= UInt8(ascii: "0"), source[at] <= UInt8(ascii: "9") {
      let (product, first) = value.multipliedReportingOverflow(by: 10)
      let (sum, second) = product.addingReportingOverflow(Int64(source[at] - UInt8(ascii: "0")))
      if first || second {
        throw source.failure(
          at: start, "the number does not fit 64 bits", expected: what,
          remedy: "delete the log and build again")
      }
      value = sum
      at += 1
    }
    if at == start { throw truncated(what) }
    guard at < source.bytes.count, source.bytes[at] == end else {
      throw truncated(
        end == UInt8(ascii: "\t") ? "a tab after \(what)" : "the end of the line after \(what)")
    }
    at += 1
    return value
  }
}
