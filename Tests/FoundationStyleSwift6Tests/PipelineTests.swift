// SPDX-License-Identifier: Apache-2.0

import OperationsFoundation
import Testing

// A program in the style of Foundation and of Swift 6: subclasses that say what guards their state.

/// Passes a value along.
class Stage: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var value: Int?

  var output: Int? { lock.withLock { value } }
  var input: Int { dependencies.compactMap { ($0 as? Stage)?.output }.reduce(0, +) }
  func produce(_ number: Int) { lock.withLock { value = number } }
}

final class Source: Stage, @unchecked Sendable {
  private let number: Int
  init(_ number: Int) { self.number = number }
  override func main() {
    guard !isCancelled else { return }
    produce(number)
  }
}

final class Doubling: Stage, @unchecked Sendable {
  override func main() { produce(input * 2) }
}

/// Its work goes on in a task of its own.
final class Asking: Stage, @unchecked Sendable {
  private let state = NSLock()
  private var phases = (executing: false, finished: false)

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { state.withLock { phases.executing } }
  override var isFinished: Bool { state.withLock { phases.finished } }

  override func start() {
    guard !isCancelled else { return change { $0 = (false, true) } }
    change { $0.executing = true }
    Task {
      await Task.yield()
      produce(input + 1)
      change { $0 = (false, true) }
    }
  }

  private func change(_ body: (inout (executing: Bool, finished: Bool)) -> Void) {
    willChangeValue(for: \.isExecuting)
    willChangeValue(for: \.isFinished)
    state.withLock { body(&phases) }
    didChangeValue(for: \.isExecuting)
    didChangeValue(for: \.isFinished)
  }
}

struct PipelineTests {
  @Test func valuesPassAlongDependenciesAcrossQueues() async {
    let (near, far) = (OperationQueue(), OperationQueue())
    far.maxConcurrentOperationCount = 1
    let sources = (1...10).map { Source($0) }
    let double = Doubling()
    let asking = Asking()
    for source in sources { double.addDependency(source) }
    asking.addDependency(double)
    asking.addDependency(double)
    // Suspends: the thread may be the one that the task needs.
    await withCheckedContinuation { done in
      asking.completionBlock = { done.resume() }
      far.addOperation(asking)
      near.addOperations([double] + sources, waitUntilFinished: false)
    }
    #expect(asking.output == 111 && asking.dependencies == [double])
  }

  @Test func prioritiesOrderASerialQueue() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let order = Order()
    let levels: [Operation.QueuePriority] = [.veryLow, .low, .normal, .high, .veryHigh]
    for level in levels {
      let operation = BlockOperation { order.note(level.rawValue) }
      operation.queuePriority = level
      operation.name = "level \(level.rawValue)"
      queue.addOperation(operation)
    }
    #expect(queue.operations.map { $0.name ?? "" }.first == "level -8")
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(order.values == [8, 4, 0, -4, -8])
  }

  @Test func cancellationSkipsTheBodyAndRunsTheCompletionBlock() {
    let queue = OperationQueue()
    let order = Order()
    let blocker = Operation()
    let cancelled = BlockOperation { order.note(1) }
    cancelled.addDependency(blocker)
    cancelled.completionBlock = { order.note(2) }
    cancelled.qualityOfService = .userInteractive
    queue.addOperation(cancelled)
    #expect(!cancelled.isReady)
    queue.cancelAllOperations()
    cancelled.waitUntilFinished()
    queue.waitUntilAllOperationsAreFinished()
    #expect(order.values == [2] && cancelled.isCancelled && cancelled.isReady)
  }

  @Test func progressReachesItsTotal() {
    let queue = OperationQueue()
    let progress = queue.progress
    #expect(progress === queue.progress && progress.completedUnitCount == 0)
    queue.addOperation {}
    queue.waitUntilAllOperationsAreFinished()
    #expect(progress.completedUnitCount == 0)
    progress.totalUnitCount = 10
    queue.addOperations((0..<5).map { Source($0) }, waitUntilFinished: true)
    for _ in 0..<5 { queue.addOperation {} }
    queue.waitUntilAllOperationsAreFinished()
    #expect(progress.completedUnitCount == 10 && progress.fractionCompleted == 1)
    #expect(progress.isFinished && queue.progressCounter.fractionCompleted == 1)
  }
}

final class Order: @unchecked Sendable {
  private let lock = NSLock()
  private var noted: [Int] = []
  func note(_ number: Int) { lock.withLock { noted.append(number) } }
  var values: [Int] { lock.withLock { noted } }
}
