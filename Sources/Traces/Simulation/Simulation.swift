// SPDX-License-Identifier: Apache-2.0

/// Runs a graph in virtual time: what workers and a policy would make of it.
///
/// A list schedule: no worker is idle while an operation is ready and its queue admits it. Woken
/// workers lose no time, memory is equally far for all, and bodies take what they took when they
/// were recorded. Source: R. L. Graham, Bounds on Multiprocessing Timing Anomalies, 1969,
/// doi:10.1137/0117039.
package enum Simulation {
  /// The schedule of a graph.
  ///
  /// Deterministic: what becomes ready at the same instant queues by index, and a seed decides the
  /// rest. O((operations + dependencies) log operations).
  package static func run(
    _ graph: SimulatedGraph, _ options: SimulationOptions
  ) -> SimulatedSchedule {
    if options.workers < 1 {
      fatalError("Simulation.run: workers is \(options.workers); expected 1 or more")
    }
    switch options.policy {
    case .fifo: return run(graph, options, FifoPool())
    case .lifo: return run(graph, options, LifoPool())
    case .priority:
      return run(graph, options, RankedPool(ranks: graph.priorities.map { Int64($0) }))
    case .criticalPath: return run(graph, options, RankedPool(ranks: graph.pathsToTheEnd))
    case .stealHalf:
      return run(graph, options, StealHalfPool(workers: options.workers, seed: options.seed))
    }
  }

  private static func run(
    _ graph: SimulatedGraph, _ options: SimulationOptions, _ pool: some ReadyPool
  ) -> SimulatedSchedule {
    var machine = VirtualMachine(graph, options, pool)
    return machine.run()
  }
}

/// The best that a plain first-come-first-served scheduler could do without any cost of its own.
package enum ListSchedule {
  /// The time from start to last finish of a list schedule without overhead.
  ///
  /// `parents[i]` are the tasks that i waits for, each once; the graph must be acyclic, the
  /// durations not negative and their sum representable. Any unit. See `Simulation`.
  package static func makespan(durations: [Int64], parents: [[Int32]], workers: Int) -> Int64 {
    let graph = SimulatedGraph(durations: durations, parents: parents)
    return Simulation.run(graph, SimulationOptions(workers: workers)).makespan
  }
}
