// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Operations
internal import Synchronization

/// A seeded acyclic graph of operations of every kind on up to three queues of one scheduler.
///
/// Every body takes a ticket from one counter when it begins and another when it ends, so that the
/// tickets tell afterwards what preceded what.
final class RandomGraph: Sendable {
  final class Node: Sendable {
    let number: Int
    let begun = Atomic<Int>(0)
    let ended = Atomic<Int>(0)
    let runs = Atomic<Int>(0)
    let wasCancelled = Atomic<Bool>(false)
    let queue: Int
    init(number: Int, queue: Int) {
      self.number = number
      self.queue = queue
    }
  }

  let seed: UInt64
  let queues: [OperationQueue]
  let nodes: [Node]
  let operations: Locked<[Operation]>
  /// Parents whose edge was not taken away, per node.
  let parents: Locked<[Set<Int>]>
  private let tickets = Atomic<Int>(1)
  /// Bodies that found a barrier of their queue running, or a barrier that found bodies.
  let barrierFaults = Atomic<Int>(0)

  init(
    seed: UInt64, queues: [OperationQueue], disturbance: Disturbance, lifetimes: LifetimeCounter
  ) {
    var random = SeededGenerator(seed: seed)
    self.seed = seed
    self.queues = queues
    let count = 1 + random.index(below: 40)
    nodes = (0..<count).map { Node(number: $0, queue: random.index(below: queues.count)) }
    operations = Locked([])
    parents = Locked(Array(repeating: [], count: count))
    for queue in queues {
      queue.maxConcurrentOperationCount = [-1, -1, 1, 2, 5][random.index(below: 5)]
      queue.isSuspended = disturbance.contains(.suspends) && random.index(below: 3) == 0
    }
    build(disturbance, &random, lifetimes)
  }

  private func build(
    _ disturbance: Disturbance, _ random: inout SeededGenerator, _ lifetimes: LifetimeCounter
  ) {
    var made: [Operation] = []
    var batch: [Operation] = []
    for node in nodes {
      let queue = queues[node.queue]
      let kind = random.index(below: 5)
      var known: Set<Int> = []
      if node.number > 0 {
        for _ in 0..<random.index(below: 6) { known.insert(random.index(below: node.number)) }
      }
      if kind == 0 { known = [] }
      parents.withLock { $0[node.number] = known }
      let token = lifetimes.token()
      if kind == 0 {
        let handle = queue.addOperation { withExtendedLifetime(token) { self.body(node) } }
        // Made while the closure may be running or gone.
        made.append(handle.operation)
        continue
      }
      let operation = make(kind, node, token, &random)
      for parent in known { operation.addDependency(made[parent]) }
      made.append(operation)
      operation.queuePriority = Operation.QueuePriority.allCases[random.index(below: 5)]
      if random.index(below: 4) == 0 { operation.completionBlock = { _ = token } }
      if batch.isEmpty, random.index(below: 2) == 0 {
        queue.addOperation(operation)
      } else if batch.isEmpty || nodes[node.number - 1].queue == node.queue {
        batch.append(operation)
        if random.index(below: 3) == 0 { skip(&batch, queue) }
      } else {
        skip(&batch, queues[nodes[node.number - 1].queue])
        batch = [operation]
      }
      if disturbance.contains(.barriers), random.index(below: 12) == 0 {
        skip(&batch, queue)
        addBarrier(node.queue)
      }
      if node.number + 1 < nodes.count, nodes[node.number + 1].queue != node.queue {
        skip(&batch, queue)
      }
    }
    if let last = nodes.last { skip(&batch, queues[last.queue]) }
    operations.withLock { $0 = made }
  }

  private func skip(_ batch: inout [Operation], _ queue: OperationQueue) {
    queue.addOperations(batch, waitUntilFinished: false)
    batch = []
  }

  private func make(
    _ kind: Int, _ node: Node, _ token: LifetimeCounter.Token, _ random: inout SeededGenerator
  ) -> Operation {
    switch kind {
    case 1, 2: return BlockOperation { withExtendedLifetime(token) { self.body(node) } }
    case 3: return TestOperation { _ in withExtendedLifetime(token) { self.body(node) } }
    default:
      let isLate = random.index(below: 2) == 0
      let queue = queues[0]
      return TestAsyncOperation { operation in
        withExtendedLifetime(token) { self.body(node) }
        if isLate {
          // Ends on another job, usually after `start()` has returned.
          queue.scheduler.submit { operation.finish() }
        } else {
          operation.finish()
        }
      }
    }
  }

  private func body(_ node: Node) {
    node.runs.add(1, ordering: .relaxed)
    node.begun.store(
      tickets.add(1, ordering: .acquiringAndReleasing).oldValue, ordering: .releasing)
    if node.number % 5 == 0 { yieldCore() }
    node.ended.store(
      tickets.add(1, ordering: .acquiringAndReleasing).oldValue, ordering: .releasing)
  }

  /// A barrier that finds every older operation of its queue finished and no younger one begun.
  private func addBarrier(_ queue: Int) {
    let members = queues[queue].operations
    queues[queue].addBarrierBlock {
      if members.contains(where: { !$0.isFinished }) {
        self.barrierFaults.add(1, ordering: .relaxed)
      }
    }
  }

  /// What is wrong with the finished graph; empty when nothing is.
  func faults() -> [String] {
    var faults: [String] = []
    for node in nodes {
      let runs = node.runs.load(ordering: .acquiring)
      let wasCancelled = node.wasCancelled.load(ordering: .acquiring)
      if runs > 1 || runs == 0 && !wasCancelled {
        faults.append("node \(node.number) ran \(runs) times")
      }
      let begun = node.begun.load(ordering: .acquiring)
      guard runs == 1 else { continue }
      for parent in parents.withLock({ $0[node.number] }) {
        let ended = nodes[parent].ended.load(ordering: .acquiring)
        let parentRuns = nodes[parent].runs.load(ordering: .acquiring)
        if parentRuns == 1, ended > begun || ended == 0 {
          faults.append(
            "node \(node.number) began at \(begun), before its parent \(parent) ended at \(ended)")
        }
      }
    }
    let early = barrierFaults.load(ordering: .acquiring)
    if early > 0 { faults.append("\(early) barriers began before an older operation had finished") }
    for queue in queues {
      if !queue.operations.isEmpty {
        faults.append("\(queue.operations.count) operations are listed")
      }
      if queue.operationCount != 0 {
        faults.append("\(queue.operationCount) operations are counted")
      }
    }
    for (number, operation) in operations.withLock({ $0 }).enumerated() where !operation.isFinished
    {
      faults.append("node \(number) has not finished")
    }
    return faults
  }
}
