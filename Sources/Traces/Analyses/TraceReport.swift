// SPDX-License-Identifier: Apache-2.0

/// What a recording says: every analysis, each computed once.
///
/// A plain value for tables, files and pictures. Analyses that need every operation are absent
/// where the recording is not whole; `refusal` says why. The page Reading explains each of them.
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
    package let overhead: OverheadSamples
    package let burdenedSpan: BurdenedSpan
    package let projection: Projection
    package let parallelism: ParallelismProfile
    package let utilisation: WorkerUtilisation
    package let steals: StealMatrix
    package let inversions: PriorityInversions
    package let wakes: WakeEconomy
    package let grain: GrainVerdict
    package let locality: Locality
    /// The time of bodies by kind, ns, the most first.
    package let runByKind: [(kind: UInt32, run: Int64)]
  }

  /// From the first operation added until the last finished.
  package let window: RunWindow
  /// What tracing did to the run, where that was measured.
  package let perturbation: Perturbation?
  package let latency: LatencyBreakdown
  package let cancellation: CancellationReport
  package let little: LittleCheck
  package let order: OrderCheck
  /// Nil where `refusal` says why.
  package let graph: WholeGraph?
  package let refusal: Refusal?
  /// The largest cause and what to try.
  package let verdict: TraceVerdict

  /// Analyses a recording.
  ///
  /// `schedule` list-schedules its graph on a number of workers, as a second opinion on the
  /// projection; without it graphs that are not too large are scheduled here. O(n log n) for
  /// operations, edges and events together.
  package init(
    _ trace: Trace, perturbation: Perturbation? = nil,
    schedule: ((_ workers: Int) -> Int64)? = nil
  ) {
    window = RunWindow(trace)
    self.perturbation = perturbation
    let waits = ReadyWaits(trace)
    latency = LatencyBreakdown(trace, waits: waits)
    cancellation = CancellationReport(trace)
    little = LittleCheck(trace, window: window)
    order = OrderCheck(trace)
    var refusal = Self.refusal(trace, window: window)
    let edges = refusal == nil ? TraceGraph(trace) : nil
    if let edges, edges.cyclicOperations > 0 {
      refusal = .cycle(operations: edges.cyclicOperations)
    }
    self.refusal = refusal
    guard refusal == nil, let edges else {
      graph = nil
      verdict = TraceVerdict(refusal ?? .nothingFinished)
      return
    }
    let graph = WholeGraph(
      trace, window: window, waits: waits, graph: edges, latency: latency,
      schedule: schedule ?? Projection.unaskedSchedule(of: trace))
    self.graph = graph
    verdict = TraceVerdict(trace, graph: graph, window: window, perturbation: perturbation)
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
  fileprivate init(
    _ trace: Trace, window: RunWindow, waits: ReadyWaits, graph: TraceGraph,
    latency: LatencyBreakdown, schedule: ((_ workers: Int) -> Int64)?
  ) {
    let timeline = WorkerTimeline(trace, window: window)
    let admission = QueueAdmission(trace, timeline: timeline)
    let attribution = WaitAttribution(
      trace, timeline: timeline, waits: waits, admission: admission)
    causes = WaitCauses(trace, waits: waits, attribution: attribution)
    var walk = RealisedPathWalk(
      trace, window: window, timeline: timeline, waits: waits, graph: graph)
    realisedPath = walk.path(attribution: attribution)
    let weights = OperationWeights(trace, timeline: timeline)
    workAndSpan = WorkAndSpan(graph: graph, weights: weights)
    let crossings = CrossingScan(trace, timeline: timeline, waits: waits)
    overhead = crossings.samples
    burdenedSpan = BurdenedSpan(trace, graph: graph, weights: weights, crossings: crossings)
    projection = Projection(
      workers: trace.header.workers, makespan: window.makespan, work: weights.work,
      overheadPerOperation: crossings.samples.perOperation,
      operations: timeline.operations.count, span: workAndSpan.span,
      burdenedSpan: burdenedSpan.span, schedule: schedule)
    parallelism = ParallelismProfile(
      trace, window: window, timeline: timeline, waits: waits, admission: admission)
    utilisation = WorkerUtilisation(trace, window: window, timeline: timeline)
    steals = StealMatrix(trace, timeline: timeline)
    inversions = PriorityInversions(trace, waits: waits)
    wakes = WakeEconomy(trace, timeline: timeline)
    grain = GrainVerdict(trace, timeline: timeline, samples: crossings.samples)
    locality = Locality(trace, timeline: timeline)
    runByKind = latency.byKind.map { ($0.kind, $0.group.run.totalNanoseconds) }
  }
}
