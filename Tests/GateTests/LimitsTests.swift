// SPDX-License-Identifier: Apache-2.0

import Results
import Testing

@testable import Gate

@Suite("Rulings")
struct LimitsTests {
  static func subject(
    _ metric: Metric, _ statistic: Statistic = .p50, workload: String = "chain",
    scheduler: String = "work-stealing"
  ) -> GateSubject {
    GateSubject(
      workload: workload, params: RowParameters([]), scheduler: scheduler,
      figure: FigureKey(metric, statistic))
  }

  @Test("without a file the class of a figure gives its tolerance")
  func classes() throws {
    let expected: [(GateSubject, GateClass, Double?)] = [
      (Self.subject(.wall), .timing, 0.01), (Self.subject(.throughput), .timing, 0.01),
      (Self.subject(.latency), .timing, 0.01), (Self.subject(.latency, .p99), .tail, 0.1),
      (Self.subject(.queueDelay, .p999), .tail, 0.1),
      (Self.subject(.voluntarySwitches), .nearExact, 0.02),
      (Self.subject(.instructions), .nearExact, 0.005), (Self.subject(.allocations), .exact, 0),
      (Self.subject(.readModifyWrites), .exact, 0),
      (Self.subject(.peakRSS), .informational, nil), (Self.subject(.build), .informational, nil),
      (Self.subject(.wall, .max), .informational, nil),
    ]
    for (subject, gateClass, tolerance) in expected {
      let ruling = try #require(Limits.none.ruling(subject))
      #expect(ruling.gateClass == gateClass && ruling.tolerance == tolerance, "\(subject.text)")
      #expect(ruling.gates == (tolerance != nil) && ruling.limit == nil)
    }
    #expect(Limits.none.ruling(Self.subject(.tasks)) == nil)
    #expect(Limits.none.ruling(Self.subject(.wall, .ratio)) == nil)
  }

  @Test("a contestant is asked by each rule of its figure, and of every figure that a line names")
  func questions() throws {
    let limits = try LimitsParserTests.parse(
      """
      * * wall limit 9us
      chain * cpu tolerance 5%
      fan * build tolerance 5%
      chain * peak-rss limit 4MiB
      chain * cpu limit 1us
      * * latency:p99 off
      """)
    let asked = limits.questions(of: Self.subject(.wall))
    #expect(asked.map(\.figure.gateName) == ["wall", "wall", "cpu", "cpu", "peak-rss:max"])
    #expect(
      asked.map(\.rule) == [
        .tolerance(0.01), .limit(9000), .tolerance(0.05), .limit(1000), .limit(4_194_304),
      ])
  }

  @Test("of the lines that match, the last one counts")
  func lastLineCounts() throws {
    let limits = try LimitsParserTests.parse(
      """
      * * wall tolerance 3%
      chain * wall tolerance 5%
      chain * wall limit 9us
      * inline wall off
      fan inline wall limit 1ms
      """)
    func ruling(_ workload: String, _ scheduler: String) throws -> Ruling {
      try #require(limits.ruling(Self.subject(.wall, workload: workload, scheduler: scheduler)))
    }
    let own = try ruling("chain", "work-stealing")
    #expect(own.tolerance == 0.05 && own.limit == 9000 && own.gates)
    #expect(try ruling("fan", "work-stealing").tolerance == 0.03)
    let off = try ruling("chain", "inline")
    #expect(!off.gates && off.offLine == 4 && off.tolerance == nil && off.limit == nil)
    let back = try ruling("fan", "inline")
    #expect(back.gates && back.offLine == nil && back.limit == 1e6 && back.tolerance == nil)
  }

  @Test("a line for all metrics opens none that is informational; one of its own does")
  func informational() throws {
    let limits = try LimitsParserTests.parse(
      "* * * tolerance 4%\nchain * peak-rss tolerance 5%")
    #expect(limits.ruling(Self.subject(.wall))?.tolerance == 0.04)
    #expect(limits.ruling(Self.subject(.peakRSS, workload: "fan"))?.gates == false)
    #expect(limits.ruling(Self.subject(.peakRSS, .max))?.tolerance == 0.05)
  }

  @Test("rules that are about nothing measured are named")
  func unusedRules() throws {
    let limits = try LimitsParserTests.parse(
      "chain * wall tolerance 3%\nfan * wall tolerance 3%\n* * latency:p99 off")
    #expect(limits.unused(by: [Self.subject(.wall)]).map(\.line) == [2, 3])
  }
}
