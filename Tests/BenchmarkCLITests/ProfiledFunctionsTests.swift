// SPDX-License-Identifier: Apache-2.0

import Measurement
import Results
import Testing

@testable import BenchmarkCLI

@Suite struct ProfiledFunctionsTests {
  @Test func theHeaviestFunctionsComeFirstWithTheirShare() {
    let stacks = StackProfile(folded: "a;b 6\na;c 3\na 1\n")
    #expect(
      ProfileTables.functions(.processor, stacks).rows.map { $0.map(\.text) } == [
        ["b", "6", "60 %"], ["c", "3", "30 %"], ["a", "1", "10 %"],
      ])
    let json = ProfileTables.json(StackProfile(folded: "a;b 6\n")).text
    #expect(json.filter { $0 != " " } == #"{"total":6,"functions":[{"function":"b","own":6}]}"#)
  }

  @Test func bytesAreShownInMebibytesAndSamplesAsTheyAre() {
    let stacks = StackProfile(folded: "a 3145728\n")
    #expect(ProfileTables.functions(.heap, stacks).rows.first?[1].text == "3.00 MiB")
    #expect(ProfileTables.title(.heap, stacks).contains("3.00 MiB"))
    #expect(ProfileTables.functions(.processor, stacks).rows.first?[1].text == "3145728")
  }

  @Test func aLongNameIsCutAndTheTableKeepsToItsWidth() {
    let name = String(repeating: "n", count: 300)
    let stacks = StackProfile(folded: "\(name) 1099511627776\nb 1\n")
    for profiler in StackProfiler.allCases {
      let lines = ProfileTables.functions(profiler, stacks).lines(style: .plain)
      #expect(lines.count == 3)
      #expect(lines.allSatisfy { $0.count <= HelpText.width })
      #expect(lines[1].contains("n…"))
    }
  }

  @Test func anOptionAsksForEach() throws {
    let parser = ArgumentParser(workloadNames: ["chain"])
    let words = ["profile", "chain", "--scheduler", "inline"]
    #expect(try ProfileRequest(parser.parse(words)).profilers.isEmpty)
    #expect(try ProfileRequest(parser.parse(words + ["--heap"])).profilers == [.heap])
    #expect(
      try ProfileRequest(parser.parse(words + ["--heap", "--perf"])).profilers
        == [.processor, .heap])
  }
}
