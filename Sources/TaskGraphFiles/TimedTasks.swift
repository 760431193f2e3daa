// SPDX-License-Identifier: Apache-2.0

/// Statements of a build of which some have taken time, and the task graph of those.
///
/// All others are passed through: whoever waits for one waits for its nearest timed ancestors
/// instead.
struct TimedTasks {
  private let path: String
  /// What the statements are called in messages.
  private let noun: String

  /// Per statement: its time in nanoseconds, or -1.
  private let durations: [Int64]

  /// Per edge: the edges it waits for.
  private let edges: DependencyLists

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

  /// Takes statements with what each of them waits for.
  ///
  /// Throws for a cycle, which `name` says in the words of the file. O(statements + edges).
  init(
    edges: DependencyLists, durations: [Int64], noun: String, path: String, name: (Int) -> String
  ) throws(TaskGraphError) {
    self.edges = edges
    self.durations = durations
    self.noun = noun
    self.path = path
    meaning = Array(repeating: -1, count: durations.count)
    taskOfEdge = Array(repeating: -1, count: durations.count)
    lastVisit = Array(repeating: -1, count: durations.count)
    try link(name)
  }

  private func isTimed(_ edge: Int) -> Bool { durations[edge] >= 0 }

  /// Checks for cycles and finds what every edge means.
  private mutating func link(_ name: (Int) -> String) throws(TaskGraphError) {
    let order = edges.topologicalOrder()
    if order.count < durations.count {
      let names = edges.cycle(leftOutOf: order).map(name)
      throw TaskGraphError(
        path: path, finding: "\(noun) wait for each other in a cycle: \(cycleText(names))",
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

  /// The tasks, in the order of their statements.
  ///
  /// O(statements + dependencies between timed ones).
  mutating func tasks(name: (Int) -> String) throws(TaskGraphError) -> [TaskGraph.Task] {
    var timed: [Int] = []
    for edge in 0..<durations.count where isTimed(edge) {
      taskOfEdge[edge] = Int32(timed.count)
      timed.append(edge)
    }
    // Many edges wait for one hub and nothing else; they share one array.
    var parentsOfHub: [Int32: [Int32]] = [:]
    var tasks: [TaskGraph.Task] = []
    tasks.reserveCapacity(timed.count)
    lastVisit = Array(repeating: -1, count: durations.count)
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
          name: name(edge), durationNanoseconds: durations[edge], parents: parents ?? []))
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
        finding: "untimed \(noun) stand for more than \(Self.mostVisits) dependencies",
        expectation: "fewer",
        remedy: "build and log what is between, or take a smaller part of the build")
    }
  }
}
