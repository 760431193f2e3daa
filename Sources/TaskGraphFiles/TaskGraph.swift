// SPDX-License-Identifier: Apache-2.0

/// A recorded task graph: what ran, for how long, and what it waited for.
///
/// Acyclic, not empty, and its total work fits 64 bits, all by construction.
package struct TaskGraph: Sendable {
  /// One recorded task.
  package struct Task: Sendable, Equatable {
    /// The id of the task in its file, unique in the graph.
    package var name: String

    /// Measured run time, 0 or more.
    package var durationNanoseconds: Int64

    /// Indices of the tasks it waits for, each once.
    package var parents: [Int32]

    package init(name: String, durationNanoseconds: Int64, parents: [Int32]) {
      self.name = name
      self.durationNanoseconds = durationNanoseconds
      self.parents = parents
    }
  }

  /// Something that the file says of itself, such as the command that was recorded.
  package struct Fact: Sendable, Equatable {
    /// What it is about, without a colon.
    package var key: String
    /// What is said, on one line.
    package var value: String

    package init(key: some StringProtocol, value: some StringProtocol) {
      self.key = String(key)
      self.value = String(value)
    }

    /// The key of the graph's name.
    package static let nameKey = "name"
  }

  /// The kinds of file a graph can come from.
  package enum Format: String, Sendable, CaseIterable {
    /// WfFormat 1.5, the JSON of the WfCommons collection.
    case wfcommons

    /// A Ninja manifest with its log.
    case ninja

    /// Graphviz DOT.
    case dot

    /// The form of this suite; see `GraphCSVReader`.
    case csv

    /// The recording of a run.
    case trace
  }

  /// What the file calls the graph, else the stem of its name.
  package let name: String

  /// Where it came from.
  package let source: Format

  /// The tasks, in file order.
  package let tasks: [Task]

  /// Remarks for the user, one sentence each: what was left out or read with a grain of salt.
  package let notes: [String]

  /// What the file says of where it is from, in its order.
  package let facts: [Fact]

  /// Sum of all durations.
  package let totalWorkNanoseconds: Int64

  /// Longest path by durations.
  package let criticalPathNanoseconds: Int64

  /// Checks and measures a graph.
  ///
  /// `path` names the file in errors: no task, a cycle, a negative duration, a total beyond 64
  /// bits. Parents must be valid indices. O(tasks + dependencies).
  package init(
    name: String, source: Format, tasks: [Task], notes: [String] = [], facts: [Fact] = [],
    path: String
  ) throws(TaskGraphError) {
    if tasks.isEmpty {
      throw TaskGraphError(
        path: path, finding: "the graph has no task", expectation: "at least one",
        remedy: "record a run that does something")
    }
    let lists = Self.lists(of: tasks)
    let order = lists.topologicalOrder()
    if order.count < tasks.count {
      let names = lists.cycle(leftOutOf: order).map { tasks[$0].name }
      throw TaskGraphError(
        path: path, finding: "tasks wait for each other in a cycle: \(cycleText(names))",
        expectation: "a graph without cycles", remedy: "remove one of these dependencies")
    }
    (totalWorkNanoseconds, criticalPathNanoseconds) = try Self.measure(
      tasks, order: order, path: path)
    self.name = name
    self.source = source
    self.tasks = tasks
    self.notes = notes
    self.facts = facts
  }

  /// Number of dependencies.
  package var edgeCount: Int { tasks.reduce(0) { $0 + $1.parents.count } }

  /// 16 hexadecimal digits that differ when a name, a duration or a dependency differs: whether a
  /// file still says the same.
  ///
  /// No proof against intent. O(bytes of names + dependencies).
  package var fingerprint: String {
    // FNV-1a over words, with a shift that carries high bits down as the product carries low bits
    // up.
    var state: UInt64 = 0xcbf2_9ce4_8422_2325
    func mix(_ word: UInt64) {
      state = (state ^ word) &* 0x0000_0100_0000_01b3
      state ^= state >> 32
    }
    mix(UInt64(tasks.count))
    for task in tasks {
      mix(UInt64(task.name.utf8.count))
      for byte in task.name.utf8 { mix(UInt64(byte)) }
      mix(UInt64(bitPattern: task.durationNanoseconds))
      mix(UInt64(task.parents.count))
      for parent in task.parents { mix(UInt64(UInt32(bitPattern: parent))) }
    }
    let digits = String(state, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Indices of all tasks, each after its parents.
  ///
  /// Deterministic. O(tasks + dependencies).
  package func topologicalOrder() -> [Int] {
    Self.lists(of: tasks).topologicalOrder().map { Int($0) }
  }

  private static func lists(of tasks: [Task]) -> DependencyLists {
    var lists = DependencyLists()
    for task in tasks {
      for parent in task.parents { lists.append(parent) }
      lists.closeNode()
    }
    return lists
  }

  private static func measure(
    _ tasks: [Task], order: [Int32], path: String
  ) throws(TaskGraphError) -> (total: Int64, longest: Int64) {
    var total: Int64 = 0
    for task in tasks {
      let (sum, overflow) = total.addingReportingOverflow(task.durationNanoseconds)
      if overflow || task.durationNanoseconds < 0 {
        throw TaskGraphError(
          path: path,
          finding: overflow
            ? "all durations together exceed \(Int64.max) ns"
            : "task \(printable(task.name)) has the negative duration \(task.durationNanoseconds) ns",
          expectation: "0 or more per task and less than 292 years in all",
          remedy: "check the unit of the durations")
      }
      total = sum
    }
    var finish = Array(repeating: Int64(0), count: tasks.count)
    for index in order {
      let task = tasks[Int(index)]
      var start: Int64 = 0
      for parent in task.parents { start = max(start, finish[Int(parent)]) }
      finish[Int(index)] = start + task.durationNanoseconds
    }
    return (total, finish.max() ?? 0)
  }
}
