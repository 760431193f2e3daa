// SPDX-License-Identifier: Apache-2.0

import Harness
import Testing
import Workloads

@Suite struct LayeredGraphTests {
  @Test func theRealGraphHasThePublishedChecksum() throws {
    let graph = try LayeredGraph(layers: 100, width: 1000, degree: 3, seed: 42)
    #expect(graph.checksum == 0x305a_7a54_a396_c67a)
    #expect(graph.count == 100_000)
  }

  @Test(arguments: [1, 2, 42, 4711]) func predecessorsAreDistinctAndInTheLayerBefore(seed: Int)
    throws
  {
    let graph = try LayeredGraph(layers: 5, width: 10, degree: 4, seed: seed)
    for index in 0..<graph.count {
      let predecessors = graph.predecessors(of: index)
      let layer = index / 10
      #expect(predecessors.count == (layer == 0 ? 0 : 4))
      #expect(Set(predecessors).count == predecessors.count)
      #expect(predecessors.allSatisfy { Int($0) / 10 == layer - 1 })
    }
  }

  @Test func anotherSeedGivesAnotherGraph() throws {
    let graphs = try [42, 43].map {
      try LayeredGraph(layers: 3, width: 100, degree: 3, seed: $0).checksum
    }
    #expect(graphs[0] != graphs[1])
  }

  @Test func oneLayerHasNoDependencies() throws {
    let graph = try LayeredGraph(layers: 1, width: 3, degree: 3, seed: 42)
    #expect(graph.count == 3)
    #expect(graph.checksum == 0)
  }

  @Test func degreeEqualToWidthTakesTheWholeLayer() throws {
    let graph = try LayeredGraph(layers: 2, width: 3, degree: 3, seed: 42)
    #expect(graph.predecessors(of: 4).sorted() == [0, 1, 2])
  }
}
