// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Testing

@testable internal import Measurement

@Suite("What the orchestrator understands") struct ReportReaderTests {
  private static let hello = "hello version=1 swift=6.3 optimization=-O sanitizer=none\n"

  /// What a reader makes of a text that comes in portions.
  private func read(_ text: String, portion: Int = 7) -> (ReportReader, [ChildReport]) {
    var reader = ReportReader()
    var reports: [ChildReport] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: portion) {
      reader.feed(bytes[start..<min(start + portion, bytes.count)])
      while let report = reader.next() { reports.append(report) }
    }
    return (reader, reports)
  }

  @Test(arguments: 1...40) func portionsDoNotMatter(_ portion: Int) {
    let reports: [ChildReport] = [
      .ready(ReadyReport(allocator: "jemalloc 5%")),
      .prepared(PreparedReport(contestant: 0, operations: 7)),
      .sample(
        IterationSample(
          buildNanoseconds: 1, runNanoseconds: 2, releaseNanoseconds: 3, cpuNanoseconds: 4,
          voluntarySwitches: -5, involuntarySwitches: 6, operations: 7)),
      .series(SeriesReport(metric: "latency", values: [1, 2, 3])),
      .value(ValueReport(metric: "makespan", value: 1e9)),
      .missing(MissingReport(metric: "cycles", reason: "no-pmu")),
      .done(DoneReport(command: "iterate")),
      .end(EndReport(peakRSS: 4096, jemallocEpochNanoseconds: 900)),
    ]
    let text = Self.hello + reports.map { $0.line + "\n" }.joined()
    let (reader, found) = read(text, portion: portion)
    #expect(reader.complaint == nil)
    #expect(reader.identity?.swiftVersion == "6.3")
    #expect(found == reports)
  }

  @Test func theFirstLineIsTheChilds() {
    for text in ["", "ready allocator=x\n", "hello\n", "hello version=\n", "hello swift=6\n"] {
      let (reader, reports) = read(text)
      #expect(reports.isEmpty && reader.identity == nil, "\(text)")
      #expect((reader.complaint == nil) == text.isEmpty, "\(text)")
    }
  }

  @Test(arguments: ["2", "0", "1.1", "next"]) func anotherVersionIsNamed(version: String) {
    let (reader, _) = read("hello version=\(version) mood=fine\nwhatever it says\n")
    #expect(reader.refusal == .version(version))
    #expect(reader.complaint?.contains("speaks version \(version)") == true)
  }

  @Test func aLineWithoutEndIsCutOff() {
    let (reader, _) = read("hello " + String(repeating: "x", count: 1 << 21), portion: 65_536)
    #expect(reader.complaint?.contains("1 MiB") == true)
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func whateverComesIsTakenOrNamed(_ seed: UInt64) {
    var state = seed
    func next() -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33)
    }
    let words = [
      "ready", "sample", "series", "value", "done", "end", "failed", " ", "metric=latency", "ns=1",
      "command=stop", "allocator=", "peak-rss-bytes=", "=", "done command=stop",
      "ready allocator=x",
    ]
    var complaints = 0
    for _ in 0..<20_000 {
      var line = ""
      for _ in 0..<1 + next() % 6 {
        switch next() % 3 {
        case 0: line += words[next() % words.count] + (next() % 2 == 0 ? " " : "")
        case 1: line += String(UInt64.max >> UInt64(next() % 64))
        default: line.unicodeScalars.append(Unicode.Scalar(UInt8(32 + next() % 90)))
        }
      }
      let (reader, reports) = read(Self.hello + line + "\n", portion: 64)
      if reader.complaint != nil { complaints += 1 }
      #expect((reader.complaint == nil) == (reports.count == 1), "seed \(seed): '\(line)'")
    }
    #expect((1..<20_000).contains(complaints))
  }
}
