// SPDX-License-Identifier: Apache-2.0

import Operations

/// Which queues have no free slot and will never have one, because all that hold one wait and
/// cannot end.
///
/// An operation without a slot waits for any one of those that have one, and everything else in a
/// report waits for all of its blockers. So what can end is found first, from the operations that
/// wait for nothing.
struct SlotSurvey {
  private struct FullQueue {
    let running: Int
    let holders: [Operation]
    /// Nodes that wait for a slot.
    var waiting: [Int] = []
  }

  private var queues: [FullQueue] = []
  private var places: [ObjectIdentifier: Int] = [:]
  private var nodesSeen = 0
  /// What holds slots of the queues that the last `collect(from:)` found.
  private(set) var newHolders: [Operation] = []

  /// Notes what waits for a slot among the nodes looked at since the last call; whether there are
  /// new holders.
  ///
  /// Linear in these nodes and in the members of the queues without a free slot.
  mutating func collect(from survey: StallSurvey) -> Bool {
    newHolders = []
    for node in nodesSeen..<survey.facts.count {
      guard let queue = survey.queueWithoutSlot(for: node) else { continue }
      let identity = ObjectIdentifier(queue)
      let place = places[identity] ?? queues.count
      if place == queues.count {
        places[identity] = place
        let running = queue.admission.running
        let holders = queue.membersForDiagnosis().filter(\.isUnderWay)
        queues.append(FullQueue(running: running, holders: holders))
        newHolders += holders
      }
      queues[place].waiting.append(node)
    }
    nodesSeen = survey.facts.count
    return !newHolders.isEmpty
  }

  /// For every node that will never have a slot an operation that holds one; nil when there are
  /// none.
  ///
  /// O(nodes + edges).
  func edges(in survey: StallSurvey) -> [Int: Int]? {
    let holders = queues.map { $0.holders.compactMap { survey.nodes.known($0) } }
    // Somebody who is not seen holds a slot, or somebody who does not wait: the usual case, told at
    // once. Who had not begun when his blockers were looked at has others now.
    let suspects = queues.indices.filter { place in
      holders[place].count >= queues[place].running
        && holders[place].allSatisfy {
          survey.facts[$0].isUnderWay && !survey.graph.blockers(of: $0).isEmpty
        }
    }
    guard !suspects.isEmpty else { return nil }
    var ends = EndSearch(graph: survey.graph)
    for place in suspects { ends.add(waiting: queues[place].waiting, holders: holders[place]) }
    let isFreed = ends.run()
    var edges: [Int: Int] = [:]
    for (place, isFreed) in zip(suspects, isFreed) where !isFreed {
      // Rather the one that waits for it than any other.
      var waitsFor: [Int: Int] = [:]
      for holder in holders[place] {
        for blocker in survey.graph.blockers(of: holder) { waitsFor[blocker] = holder }
      }
      for node in queues[place].waiting { edges[node] = waitsFor[node] ?? holders[place].first }
    }
    return edges.isEmpty ? nil : edges
  }
}

/// Finds what can end: what waits for nothing, and what waits only for that.
private struct EndSearch {
  private let graph: WaitGraph
  private var waiters: [[Int]]
  /// Blockers of each node that are not known to end; a full queue counts as one.
  private var left: [Int]
  private var queues: [[Int]] = []
  private var queuesOf: [Int: [Int]] = [:]

  init(graph: WaitGraph) {
    self.graph = graph
    waiters = Array(repeating: [], count: graph.count)
    left = Array(repeating: 0, count: graph.count)
    for node in 0..<graph.count {
      for blocker in graph.blockers(of: node) {
        waiters[blocker].append(node)
        left[node] += 1
      }
    }
  }

  /// A queue in which these nodes wait until one of the holders has ended.
  mutating func add(waiting: [Int], holders: [Int]) {
    for node in waiting { left[node] += 1 }
    for holder in holders { queuesOf[holder, default: []].append(queues.count) }
    queues.append(waiting)
  }

  /// Whether a slot of each queue becomes free, in the order added.
  mutating func run() -> [Bool] {
    var isFreed = Array(repeating: false, count: queues.count)
    var ending = left.indices.filter { left[$0] == 0 }
    while let node = ending.popLast() {
      var freed = waiters[node]
      for queue in queuesOf[node] ?? [] where !isFreed[queue] {
        isFreed[queue] = true
        freed += queues[queue]
      }
      for waiter in freed {
        left[waiter] -= 1
        if left[waiter] == 0 { ending.append(waiter) }
      }
    }
    return isFreed
  }
}

extension OperationSnapshot {
  /// Had begun and had not finished.
  fileprivate var isUnderWay: Bool {
    switch stage {
    case .executing, .detached: true
    case .outside, .waiting, .leaving, .finished: false
    }
  }
}
