// SPDX-License-Identifier: Apache-2.0

extension SimulatedSchedule {
  /// The schedule as a recording, for analyses and pictures, and to be run again.
  ///
  /// - Parameters:
  ///   - source: the recording whose graph was scheduled.
  ///   - recorded: that graph.
  package func trace(of source: Trace, _ recorded: RecordedGraph) -> Trace {
    var trace = Trace(header: source.header)
    trace.header.scheduler = "simulated"
    trace.header.workers = options.workers
    let settings =
      "policy:\(options.policy.rawValue);overhead-ns:\(options.overheadNanoseconds);"
      + "sim-seed:\(options.seed)"
    let parameters = source.header.parameters
    trace.header.parameters = parameters.isEmpty ? settings : "\(parameters);\(settings)"
    trace.header.clock = .monotonic
    trace.header.clockDriftNanoseconds = 0
    trace.header.clockSkewNanoseconds = 0
    trace.header.durationNanoseconds = makespan
    trace.names = source.names
    trace.queues = source.queues
    trace.threads = (0..<options.workers).map { TraceThread(worker: Int32($0)) }
    trace.edges = source.edges
    trace.operations = source.operations.map { operation in
      var operation = operation
      for time in OperationTime.allCases { operation[time] = .min }
      operation.thread = -1
      operation.victim = -1
      operation.processor = -1
      operation.releasedBy = -1
      operation.source = .unknown
      return operation
    }
    for (place, index) in recorded.operations.enumerated() where starts[place] >= 0 {
      fill(&trace.operations[Int(index)], place, recorded.graph)
    }
    return trace
  }

  private func fill(_ operation: inout TracedOperation, _ place: Int, _ graph: SimulatedGraph) {
    let spawner = Int(graph.spawners[place])
    let base = spawner < 0 ? 0 : starts[spawner]
    operation.enqueued = base + graph.arrivals[place]
    operation.ready = ready[place]
    operation.started = starts[place]
    let end = starts[place] + graph.durations[place]
    if graph.delays[place] > 0 { operation.returned = end }
    operation.finished = end + graph.delays[place]
    operation.thread = workers[place]
  }
}
