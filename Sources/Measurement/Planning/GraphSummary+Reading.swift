// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
internal import TaskGraphFiles

extension GraphSummary {
  /// Reads graph files in their order, each under a benchmark name of its own; a folder stands for
  /// the graphs in it.
  ///
  /// Throws when two paths mean the same graph: its rows could not be told apart.
  package static func read(_ named: [String]) throws(PlanError) -> [GraphSummary] {
    let paths = try graphs(at: named)
    var known: [String: String] = [:]
    for path in paths {
      let identity = try identity(of: path)
      if let other = known.updateValue(path, forKey: identity) {
        throw .sameGraph(path, as: other)
      }
    }
    var summaries: [GraphSummary] = []
    for path in paths { summaries.append(try read(path)) }
    return distinct(summaries)
  }

  private static func graphs(at named: [String]) throws(PlanError) -> [String] {
    do throws(TaskGraphError) {
      var paths: [String] = []
      for path in named { paths += path == "-" ? [path] : try TaskGraphFile.graphs(at: path) }
      return paths
    } catch { throw .graph("\(error)") }
  }

  private static func identity(of path: String) throws(PlanError) -> String {
    guard path != "-" else { return path }
    do throws(TaskGraphError) { return try TaskGraphFile.identity(of: path) } catch {
      throw .graph("\(error)")
    }
  }

  /// Reads a graph file as far as a plan needs it; `-` is standard input, kept for the children.
  package static func read(_ path: String) throws(PlanError) -> GraphSummary {
    let kept = path == "-" ? try keptInput() : nil
    do throws(TaskGraphError) {
      let name = try kept == nil ? TaskGraphFile.file(at: path) : "stdin"
      let graph =
        if let kept {
          try TaskGraphFile.load(piped: kept, name: name)
        } else {
          try TaskGraphFile.load(path: name)
        }
      var summary = GraphSummary(
        path: name, taskCount: graph.tasks.count, edgeCount: graph.edgeCount,
        totalWorkNanoseconds: graph.totalWorkNanoseconds,
        criticalPathNanoseconds: graph.criticalPathNanoseconds, fingerprint: graph.fingerprint,
        notes: graph.notes)
      if let kept { summary.file = kept }
      return summary
    } catch { throw .graph("\(error)") }
  }

  /// Keeps standard input in memory for the children and returns the path by which they find it.
  ///
  /// It lives as long as this process.
  private static func keptInput() throws(PlanError) -> String {
    let file = shim_keep_input(0, UInt64(Int32.max))
    guard file >= 0 else { throw .standardInput(-file) }
    return "/proc/\(getpid())/fd/\(file)"
  }
}
