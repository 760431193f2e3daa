// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Dispatch
import Operations
import OperationsDiagnosis
import Synchronization
import TestSupport
import Testing

// Programs that texts on NSOperation show or describe, in Swift.

/// The asynchronous operation that a well-known post shows, with what it does wrong: it says
/// nothing of a cancellation, ignores the readiness of `super`, and announces under its lock.
private final class TimerOperation: Operation, @unchecked Sendable {
  private enum Phase: Int { case ready, executing, finished }
  private let phase = Atomic<Int>(0)
  private let lock = Mutex(())
  private let timer = Locked<DispatchWorkItem?>(nil)
  private let delay: Double

  init(delay: Double = 0.001) {
    self.delay = delay
    super.init()
    willChangeValue(forKey: "isReady")
    phase.store(Phase.ready.rawValue, ordering: .releasing)
    willChangeValue(forKey: "isReady")
  }

  private func isIn(_ wanted: Phase) -> Bool { phase.load(ordering: .acquiring) == wanted.rawValue }

  override func start() {
    lock.withLock { _ in
      guard !isFinished, isIn(.ready) else { return }
      willChangeValue(forKey: "isExecuting")
      phase.store(Phase.executing.rawValue, ordering: .releasing)
      didChangeValue(forKey: "isExecuting")
      let item = DispatchWorkItem { self.finish() }
      timer.withLock { $0 = item }
      DispatchQueue.global().asyncAfter(deadline: .now() + delay, execute: item)
    }
  }

  override func cancel() {
    lock.withLock { _ in
      guard !isFinished, !isCancelled else { return }
      super.cancel()
      timer.withLock { $0 }?.cancel()
    }
  }

  override var isReady: Bool { isIn(.ready) }
  override var isExecuting: Bool { isIn(.executing) }
  override var isFinished: Bool { isIn(.finished) }
  override var isAsynchronous: Bool { true }
  @available(*, deprecated)
  override var isConcurrent: Bool { true }

  func finish() {
    lock.withLock { _ in
      willChangeValue(forKey: "isFinished")
      phase.store(Phase.finished.rawValue, ordering: .releasing)
      didChangeValue(forKey: "isFinished")
    }
  }
}

/// The same, put right.
private final class CorrectTimerOperation: Operation, @unchecked Sendable {
  private let flags = Locked((executing: false, finished: false))
  private let timer = Locked<DispatchWorkItem?>(nil)
  private let delay: Double
  let fired = Atomic<Int>(0)

  init(delay: Double = 0.001) { self.delay = delay }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { flags.withLock { $0.executing } }
  override var isFinished: Bool { flags.withLock { $0.finished } }

  override func start() {
    guard !isCancelled else { return end() }
    change { $0.executing = true }
    let item = DispatchWorkItem {
      self.fired.add(1, ordering: .relaxed)
      self.end()
    }
    timer.withLock { $0 = item }
    DispatchQueue.global().asyncAfter(deadline: .now() + delay, execute: item)
    if isCancelled { stop() }
  }

  override func cancel() {
    super.cancel()
    if isExecuting { stop() }
  }

  /// The timer, if it has not fired, will not, and the operation ends.
  private func stop() {
    guard let item = timer.withLock({ $0.take() }) else { return }
    item.cancel()
    end()
  }

  private func end() { change { $0 = (false, true) } }

  private func change(_ body: (inout (executing: Bool, finished: Bool)) -> Void) {
    willChangeValue(forKey: "isExecuting")
    willChangeValue(forKey: "isFinished")
    flags.withLock { body(&$0) }
    didChangeValue(forKey: "isExecuting")
    didChangeValue(forKey: "isFinished")
  }
}

/// The synchronous subclass: an initialiser, `main`, a result that several threads may read.
private final class Summing: Operation, @unchecked Sendable {
  private let numbers: [Int]
  private let result = Mutex<Int?>(nil)
  private let onStep: @Sendable (Int, Operation) -> Void
  var sum: Int? { result.withLock { $0 } }

  init(_ numbers: [Int], onStep: @escaping @Sendable (Int, Operation) -> Void = { _, _ in }) {
    self.numbers = numbers
    self.onStep = onStep
    super.init()
  }

  override func main() {
    var sum = 0
    for (step, number) in numbers.enumerated() {
      onStep(step, self)
      guard !isCancelled else { return }
      sum += number
    }
    result.withLock { $0 = sum }
  }
}

/// Goes on only if what it depends on was not cancelled.
private final class Cautious: Operation, @unchecked Sendable {
  let ran = Atomic<Bool>(false)
  override func main() {
    guard !dependencies.contains(where: \.isCancelled) else { return cancel() }
    ran.store(true, ordering: .releasing)
  }
}

extension OperationLayer {
  @Suite struct TextProgramTests {
    // MARK: The post's program

    @Test(.contract(63, 65), arguments: Kind.all)
    func thePostsOperationRunsInAQueue(_ kind: Kind) {
      let (queue, log) = (kind.queue(), Log())
      queue.maxConcurrentOperationCount = 2
      let operations = (0..<6).map { _ in TimerOperation() }
      let after = BlockOperation { log.note(operations.count(where: \.isFinished)) }
      for operation in operations { after.addDependency(operation) }
      queue.addOperations(operations + [after], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(log.values == [6] && operations.allSatisfy { !$0.isExecuting })
    }

    /// Its `isReady` does not ask `super`: the queue waits for the dependency all the same.
    @Test(.contract(38, 39), arguments: Kind.all)
    func thePostsOperationWaitsForItsDependency(_ kind: Kind) {
      let (queue, operation, dependency) = (kind.queue(), TimerOperation(), TestOperation())
      operation.addDependency(dependency)
      queue.addOperation(operation)
      #expect(operation.isReady && !operation.wait(timeout: .milliseconds(1)))
      #expect(!operation.isExecuting)
      queue.addOperation(dependency)
      queue.expectQuiet()
    }

    /// Cancelled while its timer runs it never ends, and the report says what is missing.
    @Test(.contract(55, 70, 73), arguments: Kind.all)
    func thePostsOperationJamsItsQueueWhenItIsCancelled(_ kind: Kind) {
      let (queue, operation) = (kind.queue(), TimerOperation(delay: 3600))
      queue.addOperation(operation)
      #expect(waitUntil(deadline: patience) { operation.isExecuting })
      operation.cancel()
      #expect(
        waitUntil(deadline: patience) {
          queue.stallReport().description.contains(", cancelled: executing, start() returned")
        })
      #expect(queue.operations == [operation])
      operation.finish()
      queue.expectQuiet()
    }

    /// Cancelled before it begins it does not look, and runs.
    @Test(.contract(47), arguments: Kind.all)
    func thePostsOperationRunsAlthoughCancelled(_ kind: Kind) {
      let (queue, operation) = (kind.queue(), TimerOperation())
      operation.cancel()
      queue.addOperation(operation)
      queue.expectQuiet()
      #expect(operation.isCancelled && operation.isFinished)
    }

    @Test(.contract(55, 63), arguments: Kind.all)
    func putRightItEndsWheneverItIsCancelled(_ kind: Kind) {
      for moment in 0..<3 {
        let queue = kind.queue()
        queue.isSuspended = moment == 1
        let operation = CorrectTimerOperation(delay: 3600)
        let watch = Watch(operation)
        if moment == 0 { operation.cancel() }
        queue.addOperation(operation)
        if moment == 2 { #expect(waitUntil(deadline: patience) { operation.isExecuting }) }
        operation.cancel()
        queue.isSuspended = false
        queue.expectQuiet()
        #expect(operation.fired.load(ordering: .relaxed) == 0 && operation.isFinished)
        #expect(watch.lines.all.last == "finished false→true")
        #expect(watch.lines.all.contains("executing false→true") == (moment == 2))
      }
      let queue = kind.queue()
      let operations = (0..<20).map { _ in CorrectTimerOperation() }
      queue.addOperations(operations, waitUntilFinished: false)
      queue.expectQuiet()
      #expect(operations.allSatisfy { $0.fired.load(ordering: .relaxed) == 1 })
    }

    // MARK: The class references

    @Test(.contract(7, 51), arguments: Kind.all)
    func aSynchronousSubclassLooksAtItsCancellation(_ kind: Kind) {
      let queue = kind.queue()
      let whole = Summing(Array(1...100))
      let broken = Summing(Array(1...100)) { step, operation in if step == 50 { operation.cancel() }
      }
      queue.addOperations([whole, broken], waitUntilFinished: true)
      #expect(whole.sum == 5050 && broken.sum == nil && broken.isCancelled && broken.isFinished)
    }

    /// By hand: on this thread, when it is ready, once.
    @Test(.contract(11, 12, 14)) func aSubclassIsStartedByHand() throws {
      let (operation, dependency) = (Summing([1, 2]), Operation())
      operation.addDependency(dependency)
      #expect(!operation.isReady)
      #expect(caseName(thrown(operation.tryStart)) == "notReady")
      dependency.start()
      #expect(operation.isReady)
      operation.start()
      #expect(operation.sum == 3 && operation.isFinished)
      operation.start()
    }

    /// By hand an asynchronous one does not block the caller.
    @Test(.contract(18, 63)) func anAsynchronousSubclassIsStartedByHand() {
      let (operation, dependent) = (CorrectTimerOperation(delay: 0.01), Operation())
      dependent.addDependency(operation)
      operation.start()
      #expect(operation.isExecuting || operation.isFinished)
      #expect(operation.wait(timeout: patience))
      dependent.start()
      #expect(dependent.isFinished)
    }

    /// A cancelled dependency lets its dependent go, which decides for itself.
    @Test(.contract(22), arguments: Kind.all)
    func aDependentDecidesWhetherItGoesOn(_ kind: Kind) {
      for isCancelled in [false, true] {
        let (queue, dependency, dependent) = (kind.queue(), Summing([1]), Cautious())
        dependent.addDependency(dependency)
        if isCancelled { dependency.cancel() }
        queue.addOperations([dependent, dependency], waitUntilFinished: true)
        #expect(dependent.ran.load(ordering: .acquiring) == !isCancelled)
        #expect(dependent.isCancelled == isCancelled && dependent.dependencies == [dependency])
      }
    }

    /// A cancelled member forgets its dependencies, is ready, and leaves without running.
    @Test(.contract(47, 52), arguments: Kind.all)
    func aQueueSkipsWhatIsCancelled(_ kind: Kind) {
      let (queue, never) = (kind.queue(), Operation())
      let operations = (0..<10).map { _ in TestOperation() }
      for operation in operations { operation.addDependency(never) }
      queue.addOperations(operations, waitUntilFinished: false)
      let watch = Watch(operations[0])
      #expect(operations.allSatisfy { !$0.isReady })
      queue.cancelAllOperations()
      queue.expectQuiet()
      #expect(operations.allSatisfy { $0.isReady && $0.isFinished && $0.runCount == 0 })
      #expect(
        watch.lines.all == ["cancelled false→true", "ready false→true", "finished false→true"])
    }

    /// Priorities count among what is ready, never before dependencies.
    @Test(.contract(83, 85, 113), arguments: Kind.all)
    func prioritiesCountAmongWhatIsReady(_ kind: Kind) {
      let (queue, log) = (kind.queue(), Log())
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = true
      var operations: [Operation] = []
      for (number, level) in Operation.QueuePriority.allCases.enumerated() {
        operations.append(BlockOperation { log.note(number) })
        operations[number].queuePriority = level
      }
      // The most urgent one waits for the least urgent.
      operations[4].addDependency(operations[0])
      queue.addOperations(operations, waitUntilFinished: false)
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(log.values == [3, 2, 1, 0, 4])
      #expect(Operation.QueuePriority(rounding: 10) == .veryHigh)
    }

    /// Dependencies hold across queues; the block comes after the finish, once, and is let go of.
    @Test(.contract(20, 56, 58, 60), arguments: Kind.all)
    func dependenciesCrossQueuesAndBlocksFollow(_ kind: Kind) {
      let (near, far, lines) = (kind.queue(), kind.queue(), Lines())
      let (first, second) = (
        BlockOperation { lines.note("first") }, BlockOperation { lines.note("second") }
      )
      second.addDependency(first)
      second.completionBlock = { [unowned second] in lines.note("block \(second.isFinished)") }
      near.addOperation(second)
      far.addOperation(first)
      second.waitUntilFinished()
      near.waitUntilAllOperationsAreFinished()
      #expect(lines.all == ["first", "second", "block true"] && second.completionBlock == nil)
    }

    /// What the references list as observable of a queue.
    @Test(.contract(123), arguments: Kind.all) func aQueueIsObserved(_ kind: Kind) {
      let (queue, lines) = (kind.queue(), Lines())
      let tokens = [
        queue.observe(\.operationCount) { lines.note("count \($1.newValue)") },
        queue.observe(\.maxConcurrentOperationCount) { lines.note("limit \($1.newValue)") },
        queue.observe(\.isSuspended) { lines.note("suspended \($1.newValue)") },
        queue.observe(\.name) { lines.note("name \($1.newValue ?? "")") },
        queue.observe(\.operations) { lines.note("operations \($1.newValue.count)") },
      ]
      queue.name = "images"
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = true
      queue.addOperation(Operation())
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(
        lines.all == [
          "name images", "limit 1", "suspended true", "operations 1", "count 1", "suspended false",
          "operations 0", "count 0",
        ])
      withExtendedLifetime(tokens) {}
    }
  }
}
