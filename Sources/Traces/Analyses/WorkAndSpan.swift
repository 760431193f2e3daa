// SPDX-License-Identifier: Apache-2.0

/// Work, span and parallelism of a recorded graph.
package struct WorkAndSpan: Sendable, Equatable {
  /// T₁: the time that bodies had threads, ns.
  ///
  /// What ran inside another body counts once.
  package let work: Int64
  /// T∞: the longest chain of bodies, with the time that they went on without a thread, ns.
  package let span: Int64
  /// The operations of that chain, the first one first.
  package let criticalPath: [UInt32]

  /// T₁/T∞: how many workers the graph can keep busy on average; nil when nothing ran.
  package var parallelism: Double? { span > 0 ? Double(work) / Double(span) : nil }

  /// Finds them.
  ///
  /// O(operations + edges).
  init(graph: TraceGraph, weights: OperationWeights) {
    work = weights.work
    let longest = LongestPath(graph, weights: weights.elapsed)
    span = longest.length
    criticalPath = longest.operations
  }
}
