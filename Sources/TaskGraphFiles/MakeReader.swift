// SPDX-License-Identifier: Apache-2.0

/// Joins what make says of targets with the recipes that it ran into a task graph.
///
/// A task is a target whose recipe ran, once for each make that ran it; its time is that of the
/// lines, without the time of recipes inside a line that starts a make. Such recipes wait for what
/// the line's target waits for, and that target waits for them. Makes that one line runs one after
/// the other wait for each other in this order.
package struct MakeReader {
  /// A target that a make ran the recipe of.
  private struct Run {
    let target: MakeDatabase.Target
    let begin: Int64
    var end: Int64
    /// Without the recipes inside it.
    var duration: Int64
    /// The makes that its lines started.
    var inner: [Int] = []
  }

  /// A make that ran recipes.
  private struct Make {
    let begin: Int64
    var end: Int64
    var runs: [Int] = []
  }

  /// A target as one make sees it.
  private struct Key: Hashable {
    let make: Int
    let target: MakeDatabase.Target
  }

  private let database: MakeDatabase
  private var runs: [Run] = []
  private var makes: [Make] = []
  /// Per run and target of a make: its node; nodes below `runs.count` are the runs.
  private var nodeOf: [Key: Int] = [:]
  /// Per node: what it waits for.
  private var awaited: [[Int32]] = []
  private var targets: [MakeDatabase.Target] = []
  /// Per target: its runs.
  private var runsOf: [MakeDatabase.Target: [Int]] = [:]
  /// The make of a run.
  private var makeOf: [Int] = []

  /// The graph of what these records say; nil when there are none.
  ///
  /// - Parameters:
  ///   - path: what messages name.
  ///   - folder: where the outermost make ran; names of targets elsewhere have their folder in front.
  /// - Complexity: O(records · log records + dependencies), with the square of the makes in one
  ///   line.
  package static func read(
    _ records: [RecipeRecord], database: MakeDatabase, name: String, path: String, folder: String
  ) throws(TaskGraphError) -> TaskGraph? {
    var reader = MakeReader(database: database)
    reader.gather(records)
    if reader.runs.isEmpty { return nil }
    reader.link()
    let names = reader.names(below: folder)
    var edges = DependencyLists()
    for node in reader.awaited.indices {
      for parent in reader.awaited[node] { edges.append(parent) }
      edges.closeNode()
    }
    let durations = reader.awaited.indices.map { node in
      node < reader.runs.count ? reader.runs[node].duration : -1
    }
    func nameOf(_ node: Int) -> String {
      node < names.count ? names[node] : reader.targets[node].name
    }
    var timed = try TimedTasks(
      edges: edges, durations: durations, noun: "targets", path: path, name: nameOf)
    return try TaskGraph(
      name: name, source: .csv, tasks: try timed.tasks(name: nameOf), notes: reader.notes(path),
      path: path)
  }

  private init(database: MakeDatabase) { self.database = database }

  /// Makes runs and makes of the records.
  private mutating func gather(_ records: [RecipeRecord]) {
    var inside: [String: [Range<Int64>]] = [:]
    for record in records where !record.parent.isEmpty {
      inside[record.parent, default: []].append(record.begin..<record.end)
    }
    var makeNumbers: [[String]: Int] = [:]
    var parents: [String] = []
    var runOfRecord: [String: Int] = [:]
    for record in records.sorted(by: { ($0.begin, $0.end) < ($1.begin, $1.end) }) {
      let identity = [record.parent, record.make, record.folder]
      let make = makeNumbers[identity] ?? makes.count
      if make == makes.count {
        makeNumbers[identity] = make
        makes.append(Make(begin: record.begin, end: record.end))
        parents.append(record.parent)
      }
      makes[make].end = max(makes[make].end, record.end)
      let own = Self.length(of: record.begin..<record.end, without: inside[record.id] ?? [])
      let target = MakeDatabase.Target(folder: record.folder, name: record.target)
      let key = Key(make: make, target: target)
      let run = nodeOf[key] ?? runs.count
      if run == runs.count {
        nodeOf[key] = run
        runs.append(Run(target: target, begin: record.begin, end: record.end, duration: 0))
        targets.append(target)
        makes[make].runs.append(run)
        makeOf.append(make)
        runsOf[target, default: []].append(run)
      }
      runs[run].end = max(runs[run].end, record.end)
      runs[run].duration += own
      runOfRecord[record.id] = run
    }
    for (make, parent) in parents.enumerated() {
      if let run = runOfRecord[parent] { runs[run].inner.append(make) }
    }
  }

  /// How much of a span is outside of the others, which may overlap.
  private static func length(of whole: Range<Int64>, without others: [Range<Int64>]) -> Int64 {
    var length = whole.upperBound - whole.lowerBound
    var covered = whole.lowerBound
    for other in others.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let begin = max(other.lowerBound, covered)
      let end = min(other.upperBound, whole.upperBound)
      if end > begin {
        length -= end - begin
        covered = end
      }
    }
    return length
  }

  private mutating func link() {
    awaited = Array(repeating: [], count: runs.count)
    for run in runs.indices {
      awaited[run] = prerequisites(of: runs[run].target, make: makeOf[run], before: runs[run].begin)
    }
    // Outer ones first, so that what they wait for is complete for the makes inside.
    for run in runs.indices { linkInner(of: run) }
  }

  /// The nodes that a target waits for in a make.
  private mutating func prerequisites(
    of target: MakeDatabase.Target, make: Int, before begin: Int64
  ) -> [Int32] {
    var nodes: [Int32] = []
    // Prerequisites without a run of their own are nodes as well, and theirs are found in turn.
    for named in database.prerequisites[target] ?? [] where named != target {
      nodes.append(Int32(node(of: named, make: make, before: begin)))
    }
    return nodes
  }

  /// The node of a target as a make sees it: its run there, else the last one elsewhere that was
  /// over, else one without a time.
  private mutating func node(
    of named: MakeDatabase.Target, make: Int, before begin: Int64
  ) -> Int {
    let target =
      nodeOf[Key(make: make, target: named)] == nil ? database.makers[named] ?? named : named
    let key = Key(make: make, target: target)
    if let known = nodeOf[key] { return known }
    if let earlier = runsOf[target]?.last(where: { runs[$0].end <= begin }) { return earlier }
    let node = awaited.count
    nodeOf[key] = node
    targets.append(target)
    awaited.append([])
    awaited[node] = prerequisites(of: target, make: make, before: begin)
    return node
  }

  /// Ties the makes that a run's lines started to what the run waits for, to each other and to it.
  private mutating func linkInner(of run: Int) {
    let inner = runs[run].inner
    guard !inner.isEmpty else { return }
    let outside = awaited[run]
    for make in inner {
      let over = inner.filter { makes[$0].end <= makes[make].begin }
      let latest = over.map { makes[$0].begin }.max() ?? .min
      // Those that ended before another of them began are behind that one.
      let before = over.filter { makes[$0].end > latest }.flatMap { lastRuns(of: $0) }
      let sources = makes[make].runs.filter { source in !waitsInside(source, make) }
      for source in sources { awaited[source] += outside + before.map { Int32($0) } }
    }
    awaited[run] += inner.flatMap { lastRuns(of: $0) }.map { Int32($0) }
  }

  /// Whether a run waits for another run of its own make, through whatever has no time.
  private func waitsInside(_ run: Int, _ make: Int) -> Bool {
    var open = awaited[run]
    var seen: Set<Int32> = []
    while let node = open.popLast() {
      guard seen.insert(node).inserted else { continue }
      if node < runs.count {
        if makeOf[Int(node)] == make { return true }
      } else {
        open += awaited[Int(node)]
      }
    }
    return false
  }

  /// The runs of a make that no other run of it waits for at once.
  private func lastRuns(of make: Int) -> [Int] {
    var awaitedInside: Set<Int32> = []
    for run in makes[make].runs {
      var open = awaited[run]
      while let node = open.popLast() {
        guard awaitedInside.insert(node).inserted else { continue }
        if node >= runs.count { open += awaited[Int(node)] }
      }
    }
    return makes[make].runs.filter { !awaitedInside.contains(Int32($0)) }
  }

  /// A name for each run that no other has.
  private func names(below folder: String) -> [String] {
    var uses: [String: Int] = [:]
    return runs.map { run in
      var name = run.target.name
      if run.target.folder != folder, !name.hasPrefix("/") {
        let isBelow = run.target.folder.hasPrefix(folder + "/")
        let place =
          isBelow ? String(run.target.folder.dropFirst(folder.count + 1)) : run.target.folder
        name = "\(place)/\(name)"
      }
      let number = uses[name, default: 0] + 1
      uses[name] = number
      return number == 1 ? name : "\(name)#\(number)"
    }
  }

  private func notes(_ path: String) -> [String] {
    let unknown = runs.filter { database.prerequisites[$0.target] == nil }
    guard let first = unknown.first else { return [] }
    return [
      "\(path): make's database has not got \(unknown.count) of "
        + "\(counted(runs.count, "target")) that ran, first `\(printable(first.target.name))`; "
        + "what \(unknown.count == 1 ? "it waits" : "they wait") for is not known"
    ]
  }
}
