// SPDX-License-Identifier: Apache-2.0

import Glibc
import Results
import Statistics
import Testing

@testable import Gate

@Suite("Entries from rows")
struct EntryTests {
  /// The rows of a comparison of one contestant: figures by pair, and a verdict on wall.
  private static func rows(
    _ figures: [FigureKey: [(base: Double, candidate: Double)]], failure: QualityFlag? = nil,
    operations: (base: Int, candidate: Int) = (1, 1)
  ) throws -> [ResultRow] {
    let run = RunIdentity(
      time: Timestamp(unixSeconds: 0), runID: RunID(unixMilliseconds: 0),
      machineID: try #require(MachineID(text: "h:00000000000000aa")))
    func row(_ key: FigureKey, _ value: Double?) -> ResultRow {
      ResultRow(
        run: run,
        subject: Subject(
          suite: "core", benchmark: "chain", params: RowParameters([("workers", "2")]),
          scheduler: "inline", allocator: "jemalloc", metric: key.metric,
          statistic: key.statistic),
        value: value)
    }
    var rows: [ResultRow] = []
    for role in Role.allCases {
      for (key, pairs) in figures.sorted(by: { $0.key.gateName < $1.key.gateName }) {
        for (index, pair) in pairs.enumerated() {
          var own = row(key, role == .a ? pair.base : pair.candidate)
          (own.role, own.pairID, own.process) = (role, index + 1, index + 1)
          own.operationCount = role == .a ? operations.base : operations.candidate
          rows.append(own)
        }
      }
    }
    var verdict = row(FigureKey(.wall, .ratio), nil)
    verdict.role = .b
    verdict.design = ComparisonDesign(
      pairing: .lockStep, looks: .standard.prefix(2), tolerance: .timing)
    if let failure { verdict.quality = [failure] }
    return rows + [verdict]
  }

  private static let wall = FigureKey(.wall, .p50)
  private static let cpu = FigureKey(.cpu, .p50)

  @Test("what was judged is an entry, with its pairs in order and its looks")
  func readsPairs() throws {
    let rows = try Self.rows([
      Self.wall: [(100, 110), (200, 200), (100, 50)], Self.cpu: [(1, 2), (1, 2), (1, 2)],
    ])
    let entries = GateEntry.entries(rows: rows, limits: .none)
    #expect(entries.map(\.subject.text) == ["chain on inline, wall"])
    guard case .pairs(let evidence) = try #require(entries.first).evidence else {
      Issue.record("no pairs")
      return
    }
    #expect(evidence.logRatios.map { (exp($0) * 100).rounded() } == [110, 100, 50])
    #expect(evidence.candidates == [110, 200, 50])
    #expect(evidence.design.looks == [20, 40])
  }

  @Test("further figures gate where a line of the limits names them, and only there")
  func readsNamedFigures() throws {
    let rows = try Self.rows([Self.wall: [(1, 1)], Self.cpu: [(1, 2)]])
    func figures(_ text: String) throws -> [String] {
      try GateEntry.entries(rows: rows, limits: LimitsParserTests.parse(text)).map(
        \.subject.figure.gateName)
    }
    #expect(try figures("* * cpu tolerance 5%") == ["wall", "cpu"])
    #expect(try figures("* * * tolerance 5%") == ["wall"])
    #expect(try figures("fan * cpu tolerance 5%") == ["wall"])
    #expect(try figures("* * cpu off") == ["wall"])
    // There is no figure of it.
    #expect(try figures("* * latency:p99 limit 1ms") == ["wall"])
  }

  @Test("a pair without a figure above 0 on both sides does not count")
  func leavesOutZeros() throws {
    let rows = try Self.rows([Self.wall: [(0, 1), (1, 0), (2, 3)]])
    guard case .pairs(let evidence)? = GateEntry.entries(rows: rows, limits: .none).first?.evidence
    else {
      Issue.record("no pairs")
      return
    }
    #expect(evidence.candidates == [3])
    #expect(evidence.withoutFigure == 2)
    let none = try GateEntry.entries(rows: Self.rows([Self.wall: [(0, 1)]]), limits: .none)
    guard case .failed? = none.first?.evidence else {
      Issue.record("zeros were judged")
      return
    }
  }

  @Test("a percentile of the tail gates when 1 000 operations of each side lie beyond it")
  func tailsNeedOperations() throws {
    func evidence(_ statistic: Statistic, _ operations: (base: Int, candidate: Int)) throws
      -> GateEntry.Evidence
    {
      let rows = try Self.rows(
        [Self.wall: [(1, 1)], FigureKey(.latency, statistic): [(1, 2), (1, 2), (1, 2), (1, 2)]],
        operations: operations)
      let limits = try LimitsParserTests.parse("* * latency:\(statistic.rawValue) tolerance 20%")
      let entries = GateEntry.entries(rows: rows, limits: limits)
      #expect(entries.map(\.subject.figure.metric) == [.wall, .latency])
      // A median needs none.
      guard case .pairs = entries[0].evidence else {
        Issue.record("wall was not judged")
        return entries[0].evidence
      }
      return entries[1].evidence
    }
    func isJudged(_ evidence: GateEntry.Evidence) -> Bool {
      if case .pairs = evidence { true } else { false }
    }
    // Four pairs, so four times as many.
    #expect(try isJudged(evidence(.p99, (25_000, 25_000))))
    #expect(try isJudged(evidence(.p999, (250_000, 250_000))))
    #expect(try isJudged(evidence(.p50, (1, 1))))
    for (statistic, operations, beyond) in [
      (Statistic.p99, (25_000, 24_900), 996), (.p99, (24_900, 25_000), 996),
      (.p999, (25_000, 25_000), 100), (.p90, (2400, 2500), 960),
    ] {
      guard case .excluded(let reason) = try evidence(statistic, operations) else {
        Issue.record("\(statistic) of \(operations) operations a pair was judged")
        continue
      }
      #expect(reason == .fewBeyond(operations: beyond))
    }
  }

  @Test("what failed tells its story, and what is excluded why")
  func failuresAndExclusions() throws {
    let rows = try Self.rows([:], failure: .crashed)
    let told = GateEntry.entries(rows: rows, limits: .none, story: { _ in "signal 11" })
    guard case .failed("signal 11")? = told.first?.evidence else {
      Issue.record("no story")
      return
    }
    let noisy = GateEntry.entries(
      rows: rows, limits: .none, exclusion: { _ in .tooNoisy(detectable: 0.2) })
    #expect(Gate().judge(noisy).exclusions.map(\.reason) == [.tooNoisy(detectable: 0.2)])
  }
}
