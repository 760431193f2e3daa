// SPDX-License-Identifier: Apache-2.0

/// A graph of operations as a simulation runs it: durations, dependencies, and what comes when.
///
/// Acyclic by construction. Times are nanoseconds, or any other unit.
package struct SimulatedGraph: Sendable {
  /// How long each holds a worker.
  package let durations: [Int64]
  /// How long each goes on without a worker before it finishes.
  package let delays: [Int64]
  /// When each is added: after the start of `spawners`, or of the whole where that is -1.
  package let arrivals: [Int64]
  /// The operation whose body adds it, or -1.
  package let spawners: [Int32]
  package let priorities: [Int8]
  /// Index into `limits`, or -1.
  package let queues: [Int32]
  /// How many operations of a queue may run at a time; nil without a limit.
  package let limits: [Int32?]
  /// Number of dependencies of each.
  package let dependencyCounts: [Int32]
  let successors: AdjacencyLists
  let spawned: AdjacencyLists
  /// All, each behind what it waits for and behind its spawner.
  let order: [Int32]

  /// Number of operations.
  package var count: Int { durations.count }

  /// What waits for an operation.
  package func successors(of operation: Int) -> ArraySlice<Int32> { successors[operation] }

  /// Sum of the durations.
  package var work: Int64 { durations.reduce(0, +) }

  /// A graph whose operations are all there at the beginning.
  ///
  /// Stops the process when a parent does not exist or operations wait in a cycle.
  package init(durations: [Int64], parents: [[Int32]]) {
    if durations.count != parents.count {
      fatalError(
        "SimulatedGraph: \(durations.count) durations for \(parents.count) parent lists; expected "
          + "equal")
    }
    var edges: [(Int32, Int32)] = []
    for (child, list) in parents.enumerated() {
      for parent in list { edges.append((parent, Int32(child))) }
    }
    do throws(SimulationError) {
      try self.init(rows: Rows(durations: durations), edges: edges)
    } catch {
      fatalError("SimulatedGraph: \(error)")
    }
  }

  /// What there is to say of each operation; see the properties of the graph.
  struct Rows {
    var durations: [Int64]
    var delays: [Int64]
    var arrivals: [Int64]
    var spawners: [Int32]
    var priorities: [Int8]
    var queues: [Int32]
    var limits: [Int32?] = []

    init(durations: [Int64]) {
      self.durations = durations
      delays = Array(repeating: 0, count: durations.count)
      arrivals = delays
      spawners = Array(repeating: -1, count: durations.count)
      priorities = Array(repeating: 0, count: durations.count)
      queues = spawners
    }
  }

  /// - Throws: when operations wait for each other in a cycle.
  init(rows: Rows, edges: [(predecessor: Int32, successor: Int32)]) throws(SimulationError) {
    let count = rows.durations.count
    successors = AdjacencyLists(nodes: count, edges: edges)
    spawned = AdjacencyLists(
      nodes: count,
      edges: rows.spawners.indices.lazy.filter { rows.spawners[$0] >= 0 }.map {
        (rows.spawners[$0], Int32($0))
      })
    var dependencyCounts = [Int32](repeating: 0, count: count)
    for edge in edges { dependencyCounts[Int(edge.successor)] += 1 }
    var missing = dependencyCounts
    for row in 0..<count where rows.spawners[row] >= 0 { missing[row] += 1 }
    var order = (0..<Int32(count)).filter { missing[Int($0)] == 0 }
    order.reserveCapacity(count)
    var next = 0
    while next < order.count {
      let operation = Int(order[next])
      next += 1
      for lists in [successors, spawned] {
        for successor in lists[operation] {
          missing[Int(successor)] -= 1
          if missing[Int(successor)] == 0 { order.append(successor) }
        }
      }
    }
    if order.count < count { throw .cycle(operations: count - order.count) }
    self.order = order
    self.dependencyCounts = dependencyCounts
    durations = rows.durations
    delays = rows.delays
    arrivals = rows.arrivals
    spawners = rows.spawners
    priorities = rows.priorities
    queues = rows.queues
    limits = rows.limits
  }

  /// The time that the graph takes with a worker for every operation and no overhead: the longest
  /// path, whatever arrives late included.
  ///
  /// O(operations + dependencies).
  package var criticalPath: Int64 {
    var ready = arrivals
    var longest: Int64 = 0
    for operation in order.lazy.map({ Int($0) }) {
      let start = ready[operation]
      let finish = start + durations[operation] + delays[operation]
      longest = max(longest, finish)
      for child in spawned[operation] {
        ready[Int(child)] = max(ready[Int(child)], start + arrivals[Int(child)])
      }
      for successor in successors[operation] {
        ready[Int(successor)] = max(ready[Int(successor)], finish)
      }
    }
    return longest
  }

  /// For each operation the longest path from its start to the end of the graph.
  ///
  /// O(operations + dependencies).
  var pathsToTheEnd: [Int64] {
    var paths = [Int64](repeating: 0, count: count)
    for operation in order.reversed().lazy.map({ Int($0) }) {
      var behind: Int64 = 0
      for successor in successors[operation] { behind = max(behind, paths[Int(successor)]) }
      var path = durations[operation] + delays[operation] + behind
      for child in spawned[operation] {
        path = max(path, arrivals[Int(child)] + paths[Int(child)])
      }
      paths[operation] = path
    }
    return paths
  }

  /// What no schedule on so many workers can be faster than.
  package func lowerBound(workers: Int) -> Int64 {
    let (share, rest) = work.quotientAndRemainder(dividingBy: Int64(workers))
    return max(share + (rest > 0 ? 1 : 0), criticalPath)
  }
}

/// The nodes that follow each node, flat.
struct AdjacencyLists: Sendable {
  private var starts: [Int32]
  private var nodes: [Int32]

  init(nodes count: Int, edges: some Sequence<(Int32, Int32)>) {
    starts = Array(repeating: 0, count: count + 1)
    for (from, _) in edges { starts[Int(from) + 1] += 1 }
    for index in 0..<count { starts[index + 1] += starts[index] }
    nodes = Array(repeating: 0, count: Int(starts[count]))
    var next = starts
    for (from, to) in edges {
      nodes[Int(next[Int(from)])] = to
      next[Int(from)] += 1
    }
  }

  subscript(node: Int) -> ArraySlice<Int32> { nodes[Int(starts[node])..<Int(starts[node + 1])] }
}
