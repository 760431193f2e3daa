// SPDX-License-Identifier: Apache-2.0

/// The heaviest way through a graph.
package struct LongestPath: Sendable, Equatable {
  /// The sum of the weights of the operations, and of the edges between them, on the way.
  package let length: Int64
  /// The operations on it, the first one first.
  package let operations: [UInt32]

  /// Finds it.
  ///
  /// `burden` is what an edge adds; weights and burdens are not negative. O(operations + edges).
  init(
    _ graph: TraceGraph, weights: [Int64],
    burden: (_ predecessor: UInt32, _ successor: UInt32) -> Int64 = { _, _ in 0 }
  ) {
    var lengths = [Int64](repeating: 0, count: weights.count)
    var before = [Int64](repeating: -1, count: weights.count)
    var end = -1
    for operation in graph.order {
      let index = Int(operation)
      var most: Int64 = 0
      for place in graph.places(of: index) {
        let predecessor = graph.predecessors[place]
        let length = lengths[Int(predecessor)] + burden(predecessor, operation)
        if length > most || before[index] < 0 {
          most = length
          before[index] = Int64(predecessor)
        }
      }
      lengths[index] = most + weights[index]
      if end < 0 || lengths[index] > lengths[end] { end = index }
    }
    length = end < 0 ? 0 : lengths[end]
    var way: [UInt32] = []
    while end >= 0 {
      way.append(UInt32(end))
      end = Int(before[end])
    }
    operations = way.reversed()
  }
}
