// SPDX-License-Identifier: Apache-2.0

/// Joins a Ninja manifest with its log into a task graph.
///
/// The tasks are the edges with a log entry. All others, phony ones among them, are passed through:
/// whoever waits for one waits for its nearest timed ancestors instead.
struct NinjaReader {
  private let manifest: NinjaManifest
  private let log: NinjaLog
  private let path: String

  /// Per edge: the edges it waits for.
  private var edges = DependencyLists()

  /// Per edge: what waiting for it comes to.
  ///
  /// A timed edge stands for itself, an untimed one for the only edge behind
  /// it or, with several behind it, for itself as a hub; -1 when no timed edge is behind it.
  private var meaning: [Int32]

  /// Per hub: the meanings behind it, two or more.
  private var hubs: [Int32: [Int32]] = [:]

  /// Per edge: the task, or -1.
  private var taskOfEdge: [Int32]

  private var visits = 0
  private var lastVisit: [Int32]

  /// Most steps through hubs; phony edges can stand for quadratically many dependencies.
  static let mostVisits = 1 << 27

  /// Reads a manifest and its log.
  ///
  /// O(bytes + dependencies between timed edges).
  static func read(
    manifest: NinjaManifest, log: NinjaLog, path: String, logPath: String, name: String
  ) throws(TaskGraphError) -> TaskGraph {
    var reader = NinjaReader(manifest: manifest, log: log, path: path)
    try reader.linkEdges()
    let tasks = try reader.tasks()
    if tasks.isEmpty {
      throw TaskGraphError(
        path: logPath,
        finding: "none of \(counted(log.lineCount, "line")) names an output of \(path)",
        expectation: "the log of a build of this manifest", remedy: "run ninja once in that folder")
    }
    return try TaskGraph(
      name: name, source: .ninja, tasks: tasks, notes: reader.notes(logPath: logPath), path: path)
  }

  private init(manifest: NinjaManifest, log: NinjaLog, path: String) {
    self.manifest = manifest
    self.log = log
    self.path = path
    meaning = Array(repeating: -1, count: manifest.edgeCount)
    taskOfEdge = Array(repeating: -1, count: manifest.edgeCount)
    lastVisit = Array(repeating: -1, count: manifest.edgeCount)
  }

  private func isTimed(_ edge: Int) -> Bool { log.durations[edge] >= 0 }

  private func outputName(_ edge: Int) -> String {
    manifest.paths.name(Int(manifest.firstOutput[edge]))
  }

  /// Turns inputs into edges waited for, checks for cycles and finds what every edge means.
  private mutating func linkEdges() throws(TaskGraphError) {
    for edge in 0..<manifest.edgeCount {
      for input in manifest.inputs.parents(of: edge) {
        let producer = manifest.producer[Int(input)]
        // Old CMake writes phony edges that name themselves; Ninja drops such inputs too.
        let isPhonySelf = Int(producer) == edge && manifest.isPhony[edge]
        if producer >= 0, !isPhonySelf { edges.append(producer) }
      }
      edges.closeNode()
    }
    let order = edges.topologicalOrder()
    if order.count < manifest.edgeCount {
      let names = edges.cycle(leftOutOf: order).map(outputName)
      throw TaskGraphError(
        path: path, finding: "build statements wait for each other in a cycle: \(cycleText(names))",
        expectation: "a graph without cycles", remedy: "remove one of these inputs")
    }
    for edge in order.map({ Int($0) }) {
      let behind = isTimed(edge) ? [Int32(edge)] : meanings(behind: edge, stamp: Int32(edge))
      meaning[edge] = behind.count > 1 ? Int32(edge) : behind.first ?? -1
      if behind.count > 1 { hubs[Int32(edge)] = behind }
    }
  }

  /// What an edge waits for, in terms of timed edges and hubs, each once.
  private mutating func meanings(behind edge: Int, stamp: Int32) -> [Int32] {
    var result: [Int32] = []
    for parent in edges.parents(of: edge) {
      let behind = meaning[Int(parent)]
      if behind >= 0, lastVisit[Int(behind)] != stamp {
        lastVisit[Int(behind)] = stamp
        result.append(behind)
      }
    }
    return result
  }

  private mutating func tasks() throws(TaskGraphError) -> [TaskGraph.Task] {
    var timed: [Int] = []
    for edge in 0..<manifest.edgeCount where isTimed(edge) {
      taskOfEdge[edge] = Int32(timed.count)
      timed.append(edge)
    }
    // Many edges wait for one hub and nothing else; they share one array.
    var parentsOfHub: [Int32: [Int32]] = [:]
    var tasks: [TaskGraph.Task] = []
    tasks.reserveCapacity(timed.count)
    lastVisit = Array(repeating: -1, count: manifest.edgeCount)
    var stamp: Int32 = 0
    for edge in timed {
      let behind = meanings(behind: edge, stamp: stamp)
      stamp += 1
      let onlyHub = behind.count == 1 && hubs[behind[0]] != nil ? behind[0] : nil
      var parents = onlyHub.flatMap { parentsOfHub[$0] }
      if let parents { try spend(parents.count) }
      if parents == nil {
        parents = try expand(behind, stamp: stamp)
        stamp += 1
        if let onlyHub { parentsOfHub[onlyHub] = parents }
      }
      tasks.append(
        TaskGraph.Task(
          name: outputName(edge), durationNanoseconds: log.durations[edge], parents: parents ?? []))
    }
    return tasks
  }

  /// The tasks behind these meanings, hubs resolved.
  private mutating func expand(_ meanings: [Int32], stamp: Int32) throws(TaskGraphError) -> [Int32]
  {
    var result: [Int32] = []
    var open = meanings
    while let edge = open.popLast() {
      if lastVisit[Int(edge)] == stamp { continue }
      lastVisit[Int(edge)] = stamp
      if let behind = hubs[edge] {
        try spend(behind.count)
        open.append(contentsOf: behind)
      } else {
        result.append(taskOfEdge[Int(edge)])
      }
    }
    return result.sorted()
  }

  private mutating func spend(_ amount: Int) throws(TaskGraphError) {
    visits += amount
    if visits > Self.mostVisits {
      throw TaskGraphError(
        path: path,
        finding: "untimed build statements stand for more than \(Self.mostVisits) dependencies",
        expectation: "fewer",
        remedy: "build and log the statements between, or take a smaller part of the build")
    }
  }

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
