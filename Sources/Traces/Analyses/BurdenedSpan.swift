// SPDX-License-Identifier: Apache-2.0

/// The span with what the scheduler adds to each edge of the way.
///
/// An edge whose ends ran on one thread adds the median of handing over; one that crossed threads
/// adds the median of those crossings that found their thread in the same state. Crossings to a
/// thread that had a job are no burden: the graph offered more than workers could take; they count
/// like those to a thread that was awake.
package struct BurdenedSpan: Sendable, Equatable {
  /// The heaviest way, ns.
  package let span: Int64
  /// The operations on it, the first one first.
  package let criticalPath: [UInt32]
  /// What an edge adds, ns; 0 where the run shows no such edge, on one worker for instance.
  package let handingOver: Int64
  package let parkToWake: Int64
  package let spinToTake: Int64
  /// The work.
  private let work: Int64

  /// Work over burdened span; nil when nothing ran.
  package var parallelism: Double? { span > 0 ? Double(work) / Double(span) : nil }

  init(_ trace: Trace, graph: TraceGraph, weights: OperationWeights, crossings: CrossingScan) {
    let samples = crossings.samples
    let local = samples.handingOver.p50 ?? 0
    let parked = samples.parkToWake.p50 ?? samples.spinToTake.p50 ?? local
    let awake = samples.spinToTake.p50 ?? samples.parkToWake.p50 ?? local
    let longest = LongestPath(graph, weights: weights.elapsed) { predecessor, successor in
      let (one, other) = (Int(predecessor), Int(successor))
      if trace.operations[one].thread == trace.operations[other].thread { return local }
      return crossings.crossings[other] == .parked ? parked : awake
    }
    span = longest.length
    criticalPath = longest.operations
    handingOver = local
    parkToWake = samples.parkToWake.p50 ?? 0
    spinToTake = samples.spinToTake.p50 ?? 0
    work = weights.work
  }
}
