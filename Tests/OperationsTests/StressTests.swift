// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Thousands of random graphs per scheduler, undisturbed and disturbed in every way at once.
  ///
  /// `BENCH_STRESS` multiplies their number, `BENCH_STRESS_SEED` sets the first seed; a failure names its own.
  @Suite struct StressTests {
    private static let disturbances: [Disturbance] =
      [[], .all] + (0..<8).map { Disturbance(rawValue: 1 << $0) }

    @Test(.contract(10, 21, 112, 116, 139), arguments: Kind.all, disturbances)
    func everyOperationRunsOnceAfterItsDependencies(_ kind: Kind, _ disturbance: Disturbance) {
      let lifetimes = LifetimeCounter()
      let scheduler = kind.make(kind.workers)
      let graphs = 300 * stressFactor / (slowness > 1 ? 5 : 1)
      for index in 0..<UInt64(graphs) {
        let seed = stressSeed + index
        let count = 1 + Int(seed % 3)
        let queues = (0..<count).map { _ in OperationQueue(scheduler: scheduler) }
        let graph = RandomGraph(
          seed: seed, queues: queues, disturbance: disturbance, lifetimes: lifetimes)
        disturb(graph, disturbance)
        for queue in queues {
          queue.isSuspended = false
          if queue.maxConcurrentOperationCount == 0 { queue.maxConcurrentOperationCount = -1 }
        }
        for queue in queues where !queue.wait(timeout: patience) {
          Issue.record(
            "seed \(seed): \(queue.operationCount) operations are left: \(graph.faults())")
          return
        }
        let faults = graph.faults()
        guard faults.isEmpty else {
          Issue.record("seed \(seed): \(faults.joined(separator: "; "))")
          return
        }
        graph.operations.withLock { $0 = [] }
      }
      #expect(
        waitUntil { lifetimes.live == 0 },
        "seeds \(stressSeed)..<\(stressSeed + UInt64(graphs)): \(lifetimes.live) are alive")
    }

    /// Disturbs the graph from the calling thread while it runs.
    private func disturb(_ graph: RandomGraph, _ disturbance: Disturbance) {
      guard !disturbance.isEmpty else { return }
      var random = SeededGenerator(seed: ~graph.seed)
      let operations = graph.operations.withLock { $0 }
      for _ in 0..<random.index(below: 60) {
        let kind = Disturbance(rawValue: 1 << random.index(below: 8))
        guard disturbance.contains(kind) else { continue }
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
          // Behind a barrier the closure could be waited for by an operation that the barrier waits for.
          if !disturbance.contains(.barriers) { handle.addDependency(to: operations[number]) }
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

    /// Adds or removes an edge; what is added must hold if the operation had not begun when the call returned.
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
}
