// SPDX-License-Identifier: Apache-2.0

/// Joins a Ninja manifest with its log into a task graph.
///
/// The tasks are the edges with a log entry. All others, phony ones among them, are passed through:
/// whoever waits for one waits for its nearest timed ancestors instead.
struct NinjaReader {
  private let manifest: NinjaManifest
  private let log: NinjaLog
  private let path: String

  /// Reads a manifest and its log.
  ///
  /// O(bytes + dependencies between timed edges).
  static func read(
    manifest: NinjaManifest, log: NinjaLog, path: String, logPath: String, name: String
  ) throws(TaskGraphError) -> TaskGraph {
    let reader = NinjaReader(manifest: manifest, log: log, path: path)
    var timed = try TimedTasks(
      edges: reader.edges(), durations: log.durations, noun: "build statements", path: path,
      name: reader.outputName)
    let tasks = try timed.tasks(name: reader.outputName)
    if tasks.isEmpty {
      throw TaskGraphError(
        path: logPath,
        finding: "none of \(counted(log.lineCount, "line")) names an output of \(path)",
        expectation: "the log of a build of this manifest", remedy: "run ninja once in that folder")
    }
    return try TaskGraph(
      name: name, source: .ninja, tasks: tasks, notes: reader.notes(logPath: logPath), path: path)
  }

  private func isTimed(_ edge: Int) -> Bool { log.durations[edge] >= 0 }

  private func outputName(_ edge: Int) -> String {
    manifest.paths.name(Int(manifest.firstOutput[edge]))
  }

  /// Per edge: the edges that make its inputs.
  private func edges() -> DependencyLists {
    var edges = DependencyLists()
    for edge in 0..<manifest.edgeCount {
      for input in manifest.inputs.parents(of: edge) {
        let producer = manifest.producer[Int(input)]
        // Old CMake writes phony edges that name themselves; Ninja drops such inputs too.
        let isPhonySelf = Int(producer) == edge && manifest.isPhony[edge]
        if producer >= 0, !isPhonySelf { edges.append(producer) }
      }
      edges.closeNode()
    }
    return edges
  }

  /// From how many tasks at a time on a log is said to be one of a parallel build.
  private static let sharedMachine = 1.1

  private func notes(logPath: String) -> [String] {
    var notes: [String] = []
    if log.unmatchedLines > 0 {
      notes.append(
        "\(logPath): \(log.unmatchedLines) of \(counted(log.lineCount, "line")) match no build statement and are left out"
      )
    }
    let built = manifest.isPhony.indices.filter { !manifest.isPhony[$0] }
    let unlogged = built.filter { !isTimed($0) }
    if let first = unlogged.first {
      notes.append(
        "\(path): \(unlogged.count) of \(counted(built.count, "build statement")) "
          + "\(unlogged.count == 1 ? "has no line in the log and is" : "have no line in the log and are") "
          + "left out, first `\(printable(outputName(first)))`")
    }
    if let count = log.tasksAtATime, count > Self.sharedMachine {
      notes.append(
        "\(logPath): \((count * 10).rounded() / 10) tasks ran at a time on average; a task that shared "
          + "a processor took longer than it does alone, and a build with `ninja -j1` times it alone"
      )
    }
    if log.version > NinjaLog.newestKnownVersion {
      notes.append(
        "\(logPath): version \(log.version) is newer than \(NinjaLog.newestKnownVersion), read alike"
      )
    }
    if manifest.dyndepStatements > 0 {
      notes.append(
        "\(path): \(counted(manifest.dyndepStatements, "dyndep binding")); dependencies in such files are not read"
      )
    }
    return notes
  }
}
