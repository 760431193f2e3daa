// SPDX-License-Identifier: Apache-2.0

internal import Traces

/// Makes a task graph of a recording: the operations that finished, each with the time that its own
/// body took.
enum TraceGraphReader {
  static func read(
    _ bytes: [UInt8], path: String, stem: String
  ) throws(TaskGraphError) -> TaskGraph {
    let trace: Trace
    do throws(TraceFileError) { trace = try TraceFile.decode(bytes, path: path) } catch {
      throw TaskGraphError(error)
    }
    let recorded: RecordedGraph
    do throws(SimulationError) { recorded = try RecordedGraph(trace) } catch {
      throw TaskGraphError(
        path: path, finding: error.finding, expectation: error.expectation, remedy: error.nextStep)
    }
    let parents = parents(recorded.graph)
    let names = names(trace, recorded.operations)
    let tasks = recorded.operations.indices.map { place in
      TaskGraph.Task(
        name: names[place], durationNanoseconds: recorded.graph.durations[place],
        parents: parents[place])
    }
    return try TaskGraph(
      name: stem, source: .trace, tasks: tasks, notes: notes(trace, recorded, path), path: path)
  }

  private static func parents(_ graph: SimulatedGraph) -> [[Int32]] {
    var parents = [[Int32]](repeating: [], count: graph.count)
    for operation in 0..<graph.count {
      for successor in graph.successors(of: operation) {
        parents[Int(successor)].append(Int32(operation))
      }
    }
    return parents
  }

  /// The name of each operation where it has one that no other has, else its name or class with its
  /// number.
  private static func names(_ trace: Trace, _ operations: [Int32]) -> [String] {
    var uses = [Int](repeating: 0, count: trace.names.count)
    for index in operations { uses[Int(trace.operations[Int(index)].name)] += 1 }
    return operations.map { index in
      let operation = trace.operations[Int(index)]
      let name = trace.names[Int(operation.name)]
      if !name.isEmpty, uses[Int(operation.name)] == 1 { return name }
      return "\(name.isEmpty ? trace.names[Int(operation.kind)] : name)#\(index)"
    }
  }

  /// What a replay makes otherwise than the program did.
  private static func notes(_ trace: Trace, _ recorded: RecordedGraph, _ path: String) -> [String] {
    var notes: [String] = []
    func note(_ count: Int, _ what: String) {
      if count > 0 { notes.append("\(path): \(count) operations \(what)") }
    }
    note(recorded.unfinished, "did not finish and are left out")
    note(
      recorded.graph.spawners.filter { $0 >= 0 }.count,
      "were added by the bodies of others and are all added at the beginning")
    note(
      recorded.graph.priorities.filter { $0 != 0 }.count,
      "had a priority, and all run with the usual one")
    note(
      recorded.graph.delays.filter { $0 > 0 }.count,
      "went on without a thread, and that time is left out")
    note(
      recorded.graph.queues.filter { $0 >= 0 && recorded.graph.limits[Int($0)] != nil }.count,
      "were in queues with a limit, and all run in one without")
    return notes
  }
}
