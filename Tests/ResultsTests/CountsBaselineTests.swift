// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Results

@Suite struct CountsBaselineTests {
  private static let row = CountsBaselineRow(
    key: CountsKey(
      benchmark: "chain", params: RowParameters([("n", "100"), ("workers", "1")]),
      scheduler: "inline"),
    counts: OperationCounts(
      instructions: .init(1520.95, spread: 0.0125), readModifyWrites: .init(18.469),
      allocations: .init(1.019)),
    toolchain: "Swift 6.3.1; \"AMD\", EPYC", commit: String(repeating: "a", count: 40))

  @Test func whatIsWrittenReadsBack() throws {
    var baseline = CountsBaseline()
    baseline.record(Self.row)
    var other = Self.row
    other.key.scheduler = "dispatch"
    other.commit = nil
    baseline.record(other)
    #expect(try CountsBaseline(csv: baseline.csv, path: "b.csv") == baseline)
  }

  @Test func aRowTakesThePlaceOfTheOneOfItsToolchainAlone() {
    var baseline = CountsBaseline()
    baseline.record(Self.row)
    var elsewhere = Self.row
    elsewhere.toolchain = "another"
    baseline.record(elsewhere)
    var newer = Self.row
    newer.counts.instructions = .init(1400)
    baseline.record(newer)
    #expect(baseline.rows == [newer, elsewhere])
    #expect(baseline.toolchains == [Self.row.toolchain, "another"])
    #expect(baseline.rows(of: "another") == [elsewhere])
  }
}
