// SPDX-License-Identifier: Apache-2.0

extension Projection {
  /// Graphs of up to so many operations are scheduled without being asked, as a second opinion.
  package static let operationsScheduledUnasked = 100_000

  /// Schedules a recorded graph on any number of workers, first come first served.
  ///
  /// With `isBurdened` every operation keeps its worker busy for the overhead that the recording
  /// shows, too. Throws where the recording is no graph that can run again; see `RecordedGraph`.
  package static func schedule(
    of trace: Trace, isBurdened: Bool = true
  ) throws(SimulationError) -> (_ workers: Int) -> Int64 {
    let recorded = try RecordedGraph(trace)
    let overhead = isBurdened ? recorded.overheadNanoseconds ?? 0 : 0
    return { workers in
      Simulation.run(
        recorded.graph, SimulationOptions(workers: workers, overheadNanoseconds: overhead)
      ).makespan
    }
  }

  /// The second opinion on a recording that nobody has brought one for; nil for one too large, or
  /// whose graph cannot run again.
  static func unaskedSchedule(of trace: Trace) -> ((_ workers: Int) -> Int64)? {
    guard trace.operations.count <= operationsScheduledUnasked else { return nil }
    do throws(SimulationError) { return try schedule(of: trace) } catch { return nil }
  }
}
