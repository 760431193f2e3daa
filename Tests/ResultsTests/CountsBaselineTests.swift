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
  private static let header =
    "benchmark,params,scheduler,instructions_per_op,instructions_spread,rmw_per_op,rmw_spread,"
    + "allocations_per_op,allocations_spread,toolchain,commit\n"

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

  @Test(arguments: [
    ("benchmark,params\nchain,\n", "b.csv:1: the first line is not the header"),
    ("", "b.csv:1: the first line is not the header"),
    (header + "chain,n:1,inline,1,0,1,0,1,0,t\n", "b.csv:2: 10 fields; expected 11"),
    (header + "chain,n:1,inline,much,0,1,0,1,0,t,\n", "b.csv:2: instructions_per_op: \"much\""),
    (header + "chain,n:1,inline,1,-1,1,0,1,0,t,\n", "b.csv:2: instructions_spread: \"-1\""),
    (header + "chain,n:1,inline,1,0,nan,0,1,0,t,\n", "b.csv:2: rmw_per_op: \"nan\""),
    (header + "chain,n:1,inline,1,0,1,0,,0,t,\n", "b.csv:2: allocations_per_op: \"\""),
    (header + "a chain,n:1,inline,1,0,1,0,1,0,t,\n", "b.csv:2: benchmark: \"a chain\""),
    (header + "chain,n=1,inline,1,0,1,0,1,0,t,\n", "b.csv:2: params: \"n=1\""),
    (header + "chain,n:1,inline,1,0,1,0,1,0,,\n", "b.csv:2: toolchain: \"\""),
    (header + "chain,n:1,inline,1,0,1,0,1,0,t,main\n", "b.csv:2: commit: \"main\""),
    (header + "chain,n:1,inline,1,0,1,0,1,0,t,", "b.csv:2: the last line has no line feed"),
    (
      header + "chain,n:1,inline,1,0,1,0,1,0,t,\nchain,n:1,inline,2,0,1,0,1,0,t,\n",
      "b.csv:3: chain n:1 on inline again; expected every contestant once per toolchain"
    ),
  ])
  func whatIsWrongIsNamedWithItsPlace(text: String, expected: String) {
    let error = #expect(throws: CSVError.self) {
      try CountsBaseline(csv: Array(text.utf8), path: "b.csv")
    }
    #expect(error?.description.hasPrefix(expected) == true, "\(String(describing: error))")
  }
}
