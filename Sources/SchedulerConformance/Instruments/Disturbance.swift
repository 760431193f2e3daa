// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Operations
package import Scheduling

/// What disturbs a random graph while it runs.
package struct Disturbance: OptionSet, Sendable, CustomStringConvertible {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let cancels = Disturbance(rawValue: 1)
  package static let edits = Disturbance(rawValue: 2)
  package static let limits = Disturbance(rawValue: 4)
  package static let suspends = Disturbance(rawValue: 8)
  package static let barriers = Disturbance(rawValue: 16)
  package static let priorities = Disturbance(rawValue: 32)
  package static let waits = Disturbance(rawValue: 64)
  package static let promotions = Disturbance(rawValue: 128)
  package static let all = Disturbance(rawValue: 255)

  /// Nothing, everything at once, and each kind alone.
  package static let variants: [Disturbance] =
    [[], .all] + (0..<8).map { Disturbance(rawValue: 1 << $0) }

  private static let names = [
    "cancels", "edits", "limits", "suspends", "barriers", "priorities", "waits", "promotions",
  ]

  /// The kinds, joined by "+".
  package var description: String {
    let set = Self.names.indices.filter { rawValue & 1 << $0 != 0 }.map { Self.names[$0] }
    return set.isEmpty ? "undisturbed" : set.joined(separator: "+")
  }
}

extension Disturbance {
  /// Runs the graph of one seed with this disturbance on up to three queues of the scheduler;
  /// returns what is wrong.
  ///
  /// `patience` is how long a queue may take to become empty.
  package func fault(
    seed: UInt64, on scheduler: any Scheduler, lifetimes: LifetimeCounter, patience: Duration
  ) -> String? {
    let queues = (0..<(1 + Int(seed % 3))).map { _ in OperationQueue(scheduler: scheduler) }
    let graph = RandomGraph(seed: seed, queues: queues, disturbance: self, lifetimes: lifetimes)
    disturb(graph)
    for queue in queues {
      queue.isSuspended = false
      if queue.maxConcurrentOperationCount == 0 { queue.maxConcurrentOperationCount = -1 }
    }
    for queue in queues where !queue.wait(timeout: patience) {
      return "seed \(seed), \(self): \(queue.operationCount) operations are left: \(graph.faults())"
    }
    let faults = graph.faults()
    guard faults.isEmpty else { return "seed \(seed), \(self): \(faults.joined(separator: "; "))" }
    graph.operations.withLock { $0 = [] }
    return nil
  }

  /// Disturbs the graph from the calling thread while it runs.
  private func disturb(_ graph: RandomGraph) {
    guard !isEmpty else { return }
    var random = SeededGenerator(seed: ~graph.seed)
    let operations = graph.operations.withLock { $0 }
    for _ in 0..<random.index(below: 60) {
      let kind = Disturbance(rawValue: 1 << random.index(below: 8))
      guard contains(kind) else { continue }
      let number = random.index(below: operations.count)
      let queue = graph.queues[random.index(below: graph.queues.count)]
      switch kind {
      case .cancels: cancel(number, of: graph, operations, &random)
      case .edits: edit(number, of: graph, operations, &random)
      case .limits: queue.maxConcurrentOperationCount = random.index(below: 6) - 1
      case .suspends: queue.isSuspended = random.index(below: 2) == 0
      case .barriers: queue.addBarrierBlock {}
      case .priorities:
        operations[number].queuePriority =
          Operation.QueuePriority.allCases[random.index(below: 5)]
      case .waits:
        _ = operations[number].wait(timeout: .microseconds(random.index(below: 50)))
        _ = queue.wait(timeout: .microseconds(random.index(below: 20)))
      default:
        let handle = queue.addOperation {}
        if random.index(below: 2) == 0 { handle.operation.completionBlock = {} }
        for member in queue.operations { _ = member.isReady }
        // Behind a barrier the closure could be waited for by an operation that the barrier waits
        // for.
        if !contains(.barriers) { handle.addDependency(to: operations[number]) }
      }
    }
  }

  private func cancel(
    _ number: Int, of graph: RandomGraph, _ operations: [Operation],
    _ random: inout SeededGenerator
  ) {
    if random.index(below: 20) == 0 {
      for node in graph.nodes { node.wasCancelled.store(true, ordering: .releasing) }
      for queue in graph.queues { queue.cancelAllOperations() }
    } else {
      graph.nodes[number].wasCancelled.store(true, ordering: .releasing)
      operations[number].cancel()
    }
  }

  /// Adds or removes an edge; what is added must hold if the operation had not begun when the call
  /// returned.
  private func edit(
    _ number: Int, of graph: RandomGraph, _ operations: [Operation],
    _ random: inout SeededGenerator
  ) {
    guard number > 0 else { return }
    let parent = random.index(below: number)
    if random.index(below: 2) == 0 {
      graph.parents.withLock { _ = $0[number].remove(parent) }
      operations[number].removeDependency(operations[parent])
    } else {
      operations[number].addDependency(operations[parent])
      // Unbegun now, so that the start must have seen the edge; a listed edge held before as well.
      if operations[number].isCancelled || operations[number].isExecuting
        || operations[number].isFinished
      {
        return
      }
      graph.parents.withLock { _ = $0[number].insert(parent) }
    }
  }
}
