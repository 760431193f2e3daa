// SPDX-License-Identifier: Apache-2.0

import Results
import Testing

@testable import Gate

@Suite("Limits file")
struct LimitsParserTests {
  static func parse(_ text: String) throws(LimitsError) -> Limits {
    try LimitsParser(
      path: "limits", workloads: ["chain", "fan"], schedulers: ["inline", "work-stealing"]
    ).parse(Array(text.utf8))
  }

  @Test("a line is a rule; comments, blank lines and tabs are none")
  func readsRules() throws {
    let limits = try Self.parse(
      """
      # WORKLOAD SCHEDULER METRIC RULE

      chain\t* wall tolerance 3%   # since the queue is longer now
        * work-stealing latency:p99 limit 250us
      fan inline * off
      """)
    #expect(
      limits.rules == [
        LimitRule(
          workload: "chain", scheduler: nil, figure: FigureKey(.wall, .p50),
          allowance: .tolerance(0.03), line: 3),
        LimitRule(
          workload: nil, scheduler: "work-stealing", figure: FigureKey(.latency, .p99),
          allowance: .limit(250_000), line: 4),
        LimitRule(
          workload: "fan", scheduler: "inline", figure: nil, allowance: .off, line: 5),
      ])
    #expect(try Self.parse("").rules.isEmpty)
    #expect(try Self.parse("# nothing\n\n").rules.isEmpty)
  }

  @Test(
    "values come with their units",
    arguments: [
      ("wall limit 1.5us", 1500.0), ("wall limit 2ms", 2e6), ("wall limit 3s", 3e9),
      ("wall limit 7µs", 7000), ("peak-rss limit 4MiB", 4_194_304), ("peak-rss limit 10B", 10),
      ("throughput limit 1e6/s", 1e6), ("voluntary-switches limit 0.5", 0.5),
    ])
  func readsLimits(line: String, bound: Double) throws {
    #expect(try Self.parse("* * \(line)").rules.map(\.allowance) == [.limit(bound)])
  }

  @Test(
    "tolerances are shares", arguments: [("0", 0.0), ("0%", 0), ("2.5%", 0.025), ("100%", 1)])
  func readsTolerances(text: String, fraction: Double) throws {
    #expect(
      try Self.parse("* * wall tolerance \(text)").rules.map(\.allowance)
        == [.tolerance(fraction)])
  }

  /// A malformed file, where it is wrong, and a part of what is said of it.
  static let malformed: [(text: String, place: String, words: String)] = [
    ("chain", "1:6", "the line ends before SCHEDULER"),
    ("chain *", "1:8", "the line ends before METRIC"),
    ("# a\nchain * wall", "2:13", "the line ends before a rule"),
    ("chian * wall off", "1:1", "unknown workload \"chian\""),
    ("* workstealing wall off", "1:3", "unknown scheduler \"workstealing\""),
    ("* * wal off", "1:5", "unknown metric \"wal\""),
    ("* * tasks off", "1:5", "no value is better than another"),
    ("* * wall:p98 off", "1:10", "no statistic of wall"),
    ("* * wall:ratio off", "1:10", "no statistic of wall"),
    ("* * wall: off", "1:10", "no statistic of wall"),
    ("* * latency:p99:p50 off", "1:13", "no statistic of latency"),
    ("* * wall toleranc 3%", "1:10", "unknown rule \"toleranc\""),
    ("* * wall Off", "1:10", "unknown rule \"Off\""),
    ("* * wall tolerance", "1:19", "tolerance without a value"),
    ("* * wall limit  # 3ns", "1:15", "limit without a value"),
    ("* * wall tolerance 3", "1:20", "tolerance \"3\""),
    ("* * wall tolerance 3 %", "1:20", "tolerance \"3\""),
    ("* * wall tolerance -3%", "1:20", "tolerance \"-3%\""),
    ("* * wall tolerance 101%", "1:20", "tolerance \"101%\""),
    ("* * wall tolerance 1e999%", "1:20", "tolerance \"1e999%\""),
    ("* * wall tolerance nan%", "1:20", "tolerance \"nan%\""),
    ("* * wall tolerance 3% 4%", "1:23", "\"4%\" after the rule"),
    ("* * wall limit 500", "1:16", "limit \"500\" of wall"),
    ("* * wall limit 500 ns", "1:16", "limit \"500\" of wall"),
    ("* * wall limit 0ns", "1:16", "limit \"0ns\" of wall"),
    ("* * wall limit 5MiB", "1:16", "limit \"5MiB\" of wall"),
    ("* * wall limit 0x1p3ns", "1:16", "limit \"0x1p3ns\" of wall"),
    ("* * voluntary-switches limit 3ns", "1:30", "limit \"3ns\" of voluntary-switches"),
    ("* * * limit 500ns", "1:5", "a limit for all metrics"),
    ("* * wall off 3%", "1:14", "\"3%\" after the rule"),
    ("* * wall off\r\n* * cpu off", "1:13", "a carriage return"),
    ("\u{FEFF}* * wall off", "1:1", "a byte order mark"),
    ("* * wall\u{0} off", "1:9", "the control character 0"),
    ("* * wall off\n* * wall off", "2:1", "as in line 1"),
    ("* * wall tolerance 1%\n\n  * * wall tolerance 2%", "3:3", "as in line 1"),
  ]

  @Test(
    "a malformed file is refused with place, finding, expectation and next step",
    arguments: malformed)
  func refuses(text: String, place: String, words: String) throws {
    let error = try #require(throws: LimitsError.self) { try Self.parse(text) }
    #expect(error.place == "limits:\(place)")
    #expect(error.finding.contains(words), "\(error)")
    #expect(!error.expectation.isEmpty && !error.nextStep.isEmpty)
    #expect("\(error)".hasPrefix("limits:\(place): \(error.finding); expected "))
  }

  @Test("bytes that are no UTF-8 are refused")
  func refusesBytes() throws {
    let parser = LimitsParser(path: "limits", workloads: [], schedulers: [])
    let error = try #require(throws: LimitsError.self) {
      try parser.parse(Array("# fine\n# ".utf8) + [0xFF])
    }
    #expect(error.place == "limits:2:1")
    #expect(error.finding == "bytes that are no UTF-8")
  }
}
