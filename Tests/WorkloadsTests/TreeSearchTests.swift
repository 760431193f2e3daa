// SPDX-License-Identifier: Apache-2.0

import Harness
import Scheduling
import Testing

@testable import Workloads

/// The trees that the authors of the benchmark publish, and the answers of the workload.
@Suite struct TreeSearchTests {
  private static let description = WorkloadCatalog.all.first { $0.name == "uts" }

  private func parameters(_ text: String) throws -> Parameters {
    let description = try #require(Self.description)
    var parameters = description.parameters(at: .smoke)
    for entry in try #require(Parameters(canonical: text)).entries {
      parameters.set(entry.name, to: entry.value)
    }
    return parameters
  }

  /// Nodes, leaves and depth as published with the benchmark's sample trees.
  @Test(
    arguments: [
      ("depth:10", 4_130_071, 3_305_118, 10),
      ("shape:cyclic;depth:16;branching:6;seed:502", 4_117_769, 2_342_762, 81),
      ("tree:binomial;branching:2000;q:0.124875;m:8;seed:42", 4_112_897, 3_599_034, 1572),
      (
        "tree:hybrid;shape:linear;depth:16;branching:6;seed:1;q:0.234375;m:4", 4_132_453, 3_108_986,
        134
      ),
      ("shape:linear;depth:20;branching:4;seed:34", 4_147_582, 2_181_318, 20),
    ])
  func publishedTreesHaveThePublishedNumbers(
    text: String, nodes: UInt64, leaves: UInt64, depth: Int
  ) throws {
    let workload = try TreeSearch(UnbalancedTree(try parameters(text)))
    #expect(workload.expected.operations == nodes)
    #expect(workload.expected.leaves == leaves)
    #expect(workload.expected.depth == depth)
  }

  @Test func aBalancedTreeIsCountedByHand() throws {
    let workload = try TreeSearch(
      UnbalancedTree(try parameters("tree:balanced;depth:5;branching:3")))
    #expect(workload.expected.operations == 1 + 3 + 9 + 27 + 81 + 243)
    #expect(workload.expected.leaves == 243 && workload.expected.depth == 5)
  }

  @Test(
    arguments: [
      "tree:geometric;shape:exponential;depth:5", "tree:binomial;branching:50;q:0.2;m:4",
      "tree:hybrid;shape:linear;shift:0.3;depth:6", "tree:geometric;branching:0;depth:3",
    ], TestScheduler.allCases)
  func otherTreesAreFoundOnEveryScheduler(text: String, kind: TestScheduler) throws {
    let workload = try TreeSearch(UnbalancedTree(try parameters(text)))
    let scheduler = kind.make(workers: 2)
    defer { scheduler.shutDown() }
    var recorder = IterationRecorder()
    try workload.iterate(on: scheduler, recorder: &recorder)
    #expect(
      recorder.values.first { $0.metric == "nodes" }?.value
        == Double(workload.expected.operations))
  }

  @Test(arguments: ["tree:binomial;q:0.25;m:4", "tree:hybrid;q:0.5;m:3"])
  func aTreeWithoutAnEndIsRefused(text: String) throws {
    let tree = UnbalancedTree(try parameters(text))
    let error = #expect(throws: WorkloadError.self) { try TreeSearch(tree) }
    #expect(error?.message.contains("has no end") == true)
  }

  @Test func aNodeInThePlaceOfAnotherIsAWrongAnswer() throws {
    let storage = try TallyStorage(for: "tally")
    var expected = TallyTotals()
    for (checksum, depth) in [(UInt64(7), 0), (9, 1)] {
      expected.count(checksum: checksum, isLeaf: depth == 1, depth: depth)
    }
    storage.tally.count(checksum: 7, isLeaf: false, depth: 0)
    storage.tally.count(checksum: 9, isLeaf: true, depth: 1)
    try storage.check("tally", expected: expected)
    storage.tally.count(checksum: 7, isLeaf: false, depth: 0)
    storage.tally.count(checksum: 8, isLeaf: true, depth: 1)
    #expect(throws: WrongAnswer.self) { try storage.check("tally", expected: expected) }
    storage.tally.count(checksum: 7, isLeaf: false, depth: 0)
    #expect(throws: WrongAnswer.self) { try storage.check("tally", expected: expected) }
  }
}
