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
    let rules = try Self.parse("* * \(line)").rules
    #expect(rules.map(\.allowance) == [.limit(bound)])
    // Rows have the largest of memory, and no median.
    #expect(rules.map(\.figure?.statistic) == [line.hasPrefix("peak") ? .max : .p50])
  }

  @Test(
    "tolerances are shares", arguments: [("0", 0.0), ("0%", 0), ("2.5%", 0.025), ("100%", 1)])
  func readsTolerances(text: String, fraction: Double) throws {
    #expect(
      try Self.parse("* * wall tolerance \(text)").rules.map(\.allowance)
        == [.tolerance(fraction)])
  }
}
