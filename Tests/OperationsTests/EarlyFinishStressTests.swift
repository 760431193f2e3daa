// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import OperationsDiagnosis
import Scheduling
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Random programs about operations that are finished at any moment while everything else is done
  /// to them.
  @Suite struct EarlyFinishStressTests {
    @Test(.contract(28, 47, 66, 69, 103, 112, 115, 116, 130), arguments: Kind.all)
    func whateverIsDoneMeanwhileTheyEndAndLeave(_ kind: Kind) {
      let scheduler = kind.make(kind.workers)
      let lifetimes = LifetimeCounter()
      for round in 0..<(400 * stressFactor / slowness) {
        let seed = stressSeed << 32 + UInt64(round)
        weak var gone: OperationQueue?
        var fault: String?
        _ = warnings {
          let program = EarlyFinishProgram(scheduler, seed: seed, lifetimes)
          gone = program.queue
          program.run()
          fault = program.fault()
        }
        if let fault {
          Issue.record("\(kind.testDescription), seed \(seed): \(fault)")
          return
        }
        let isFree = waitUntil { gone == nil && lifetimes.live == 0 }
        let alive = "queue \(gone != nil), operations \(lifetimes.live)"
        #expect(isFree, "\(kind.testDescription), seed \(seed), alive: \(alive)")
        guard isFree else { return }
      }
    }
  }
}

/// Few operations in one queue, and three threads that do to them what the seed says.
private final class EarlyFinishProgram: @unchecked Sendable {
  let queue: OperationQueue
  private let other: OperationQueue
  private let seed: UInt64
  private let operations: [Operation]
  /// In no queue until the end.
  private let loose: [Operation]
  private let gates: [ReadinessGate]
  private let resource = OperationResource(name: "one at a time")
  private let tokens = Locked<[Observation]>([])
  private let runs: [Counter]

  final class Counter: Sendable {
    let value = Atomic<Int>(0)
  }

  init(_ scheduler: any Scheduler, seed: UInt64, _ lifetimes: LifetimeCounter) {
    self.seed = seed
    var random = SeededGenerator(seed: seed)
    queue = OperationQueue(scheduler: scheduler)
    other = OperationQueue(scheduler: scheduler)
    loose = (0..<2).map { _ in TestOperation(lifetimes) }
    gates = (0..<2).map { _ in ReadinessGate() }
    let runs = (0..<4).map { _ in Counter() }
    self.runs = runs
    operations = runs.map { counter in
      switch random.index(below: 4) {
      case 0:
        TestOperation(lifetimes) { _ in counter.value.add(1, ordering: .relaxed) }
      case 1:
        TestAsyncOperation(lifetimes) { operation in
          counter.value.add(1, ordering: .relaxed)
          operation.finish()
        }
      case 2:
        AsyncOperation { [token = lifetimes.token()] operation in
          counter.value.add(1, ordering: .relaxed)
          withExtendedLifetime(token) { operation.finish() }
        }
      default: OwnState()
      }
    }
    // Some start their life finished or with dependencies.
    for index in operations.indices {
      if random.index(below: 3) == 0 { operations[index].addDependency(loose[0]) }
      if random.index(below: 3) == 0 { finish(operations[index]) }
      if random.index(below: 5) == 0 { try? operations[index].tryRequire(resource) }
    }
    if random.index(below: 4) == 0 { queue.eventHandler = { _ in } }
    if random.index(below: 4) == 0 { queue.maxConcurrentOperationCount = 1 }
  }

  private func finish(_ operation: Operation) {
    if let operation = operation as? AsyncOperation { operation.finish() }
    if let operation = operation as? OwnState { operation.end() }
  }

  /// Adds the operations, in order, so that no barrier stands between one and what it depends on.
  func run() {
    onThreads(3) { [self] thread in
      var random = SeededGenerator(seed: seed &* 3 &+ UInt64(thread))
      if thread > 0 { return disturb(steps: 12, &random) }
      for operation in operations {
        disturb(steps: 2, &random)
        if random.index(below: 3) == 0 { queue.addBarrierBlock {} }
        try? queue.tryAddOperation(operation)
      }
    }
    var random = SeededGenerator(seed: ~seed)
    disturb(steps: 6, &random)
    end()
  }

  private func disturb(steps: Int, _ random: inout SeededGenerator) {
    for _ in 0..<steps {
      let index = random.index(below: operations.count)
      let operation = operations[index]
      switch random.index(below: 16) {
      case 0...2: finish(operation)
      case 3, 4: operation.addDependency(loose[random.index(below: 2)])
      case 5, 6: operation.removeDependency(loose[random.index(below: 2)])
      case 7: if index > 0 { operation.addDependency(operations[random.index(below: index)]) }
      case 8: for dependency in operation.dependencies { operation.removeDependency(dependency) }
      case 9, 10: queue.maxConcurrentOperationCount = random.index(below: 4) - 1
      case 11: queue.isSuspended = random.index(below: 2) == 0
      case 12: operation.queuePriority = random.index(below: 2) == 0 ? .high : .low
      case 13: if random.index(below: 2) == 0 { operation.cancel() }
      case 14: operation.addReadinessCondition(gates[random.index(below: 2)])
      default: tokens.withLock { $0.append(operation.observe(\.isReady) { _, _ in }) }
      }
    }
  }

  /// Whatever may still hold an operation back is taken away.
  private func end() {
    for gate in gates { gate.open() }
    queue.isSuspended = false
    queue.maxConcurrentOperationCount = -1
    for operation in loose { other.addOperation(operation) }
    queue.eventHandler = nil
    tokens.withLock { $0 = [] }
  }

  func fault() -> String? {
    for queue in [other, queue] where !queue.wait(timeout: patience) {
      return "\(queue.operationCount) operations are left\n\(queue.stallReport())"
    }
    guard queue.operationCount == 0, queue.operations.isEmpty else {
      return "the empty queue counts \(queue.operationCount) and lists \(queue.operations)"
    }
    for (operation, counter) in zip(operations, runs) {
      let count = counter.value.load(ordering: .relaxed)
      if !operation.isFinished { return "\(operation) has left its queue and has not finished" }
      if count > 1 { return "\(operation) ran \(count) times" }
    }
    // The count is right only if another member makes it one.
    queue.isSuspended = true
    let last = TestOperation()
    queue.addOperation(last)
    guard queue.operationCount == 1 else { return "one member makes \(queue.operationCount)" }
    queue.isSuspended = false
    guard queue.wait(timeout: patience), last.runCount == 1 else { return "the last one hangs" }
    return nil
  }
}
