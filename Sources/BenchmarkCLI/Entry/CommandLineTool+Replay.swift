// SPDX-License-Identifier: Apache-2.0

internal import Results
internal import TaskGraphFiles
internal import Traces

extension CommandLineTool {
  /// `bench replay`: runs a recorded graph again, on schedulers or in virtual time.
  func replay(_ request: ReplayRequest) throws(ToolFailure) -> ExitCode {
    switch request {
    case .run(let request): return try runBenchmarks(request)
    case .simulate(let request): return try simulate(request)
    }
  }

  private func simulate(_ request: SimulateRequest) throws(ToolFailure) -> ExitCode {
    let (trace, isMeasured, notes): (Trace, Bool, [String])
    do throws(TaskGraphError) {
      (trace, isMeasured, notes) = try TaskGraphFile.recording(at: request.path)
    } catch {
      throw ToolFailure(
        .malformedInput, place: error.place, finding: error.finding,
        expectation: error.expectation, nextStep: error.remedy)
    }
    if !request.quiet { for note in notes { console.say("bench: \(note)") } }
    let recorded: RecordedGraph
    do throws(SimulationError) { recorded = try RecordedGraph(trace) } catch {
      throw ToolFailure(
        .malformedInput, place: request.path, finding: error.finding,
        expectation: error.expectation, nextStep: error.nextStep)
    }
    if let path = request.trace {
      do throws(FileError) { try AtomicFile.rehearse(path, overwrite: request.force) } catch {
        throw ToolFailure(writing: error)
      }
    }
    let table = SimulationTable(recorded, request, isMeasured: isMeasured)
    switch request.format {
    case .text:
      try console.out(
        table.text(path: request.path, trace: trace, style: style(request.color)))
    case .markdown: try console.out(table.markdown)
    case .csv: try console.out(table.csv)
    case .json: try console.out(table.json(path: request.path))
    }
    guard let path = request.trace, let schedule = table.rows.first?.schedule else {
      return .success
    }
    do throws(FileError) {
      try TraceFile.write(
        schedule.trace(of: trace, recorded), to: path, overwrite: request.force)
    } catch { throw ToolFailure(writing: error) }
    if !request.quiet { console.say("bench: schedule in \(path)") }
    return .success
  }
}

extension ToolFailure {
  /// A recording that cannot be used.
  init(_ error: TraceFileError) {
    self.init(
      .malformedInput, place: error.place, finding: error.finding,
      expectation: error.expectation, nextStep: error.nextStep)
  }
}
