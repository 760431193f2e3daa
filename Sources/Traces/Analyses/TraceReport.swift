// SPDX-License-Identifier: Apache-2.0

/// What a recording says: every analysis, each computed once.
///
/// A plain value for tables, files and pictures. Analyses that need every operation are absent where
/// the recording is not whole; `refusal` says why.
package struct TraceReport: Sendable {
  /// Why there are no analyses of the whole graph.
  package enum Refusal: Sendable, Equatable {
    /// Events were overwritten; rings of `neededRingEvents` would have kept them all.
    case droppedEvents(Int, neededRingEvents: Int)
    /// Only ready, start and finish were recorded.
    case latencyDetail
    /// The edges make a cycle, which no run can have; so many operations are in it or behind it.
    case cycle(operations: Int)
    /// No operation finished.
    case nothingFinished
  }

  /// Analyses that hold only if every operation, edge and event was recorded.
  package struct WholeGraph: Sendable {
    package let causes: WaitCauses
    package let workAndSpan: WorkAndSpan
    package let realisedPath: RealisedPath
  }

  /// From the first operation added until the last finished.
  package let window: RunWindow
  package let latency: LatencyBreakdown
  /// Nil where `refusal` says why.
  package let graph: WholeGraph?
  package let refusal: Refusal?

  /// Analyses a recording.
  ///
  /// O(n log n) for operations, edges and events together.
  package init(_ trace: Trace) {
    window = RunWindow(trace)
    let waits = ReadyWaits(trace)
    latency = LatencyBreakdown(trace, waits: waits)
    if let refusal = Self.refusal(trace, window: window) {
      self.refusal = refusal
      graph = nil
      return
    }
    let edges = TraceGraph(trace)
    if edges.cyclicOperations > 0 {
      refusal = .cycle(operations: edges.cyclicOperations)
      graph = nil
      return
    }
    refusal = nil
    graph = WholeGraph(trace, window: window, waits: waits, graph: edges)
  }

  private static func refusal(_ trace: Trace, window: RunWindow) -> Refusal? {
    if trace.header.droppedEvents > 0 {
      return .droppedEvents(
        trace.header.droppedEvents, neededRingEvents: trace.header.neededRingEvents)
    }
    if trace.header.detail == .latency { return .latencyDetail }
    return window.makespan == 0 ? .nothingFinished : nil
  }
}

extension TraceReport.WholeGraph {
  fileprivate init(_ trace: Trace, window: RunWindow, waits: ReadyWaits, graph: TraceGraph) {
    let timeline = WorkerTimeline(trace, window: window)
    let attribution = WaitAttribution(
      trace, timeline: timeline, waits: waits, admission: QueueAdmission(trace))
    causes = WaitCauses(trace, waits: waits, attribution: attribution)
    workAndSpan = WorkAndSpan(
      graph: graph, weights: OperationWeights(trace, timeline: timeline))
    var walk = RealisedPathWalk(
      trace, window: window, timeline: timeline, waits: waits, graph: graph)
    realisedPath = walk.path(attribution: attribution)
  }
}
