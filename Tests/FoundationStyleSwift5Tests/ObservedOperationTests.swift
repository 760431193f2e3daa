// SPDX-License-Identifier: Apache-2.0

import OperationsFoundation
import Testing

// A program in the style of frameworks that put conditions and observers upon Foundation's classes,
// in Swift 5: nearly every member that may be overridden is.

/// What happens to an observed operation.
protocol WorkObserver: AnyObject {
  func workDidStart(_ work: Work)
  func workDidFinish(_ work: Work)
}

/// An operation that has observers and may be told what it must wait for until it is queued.
class Work: Operation, @unchecked Sendable {
  private let guardian = NSRecursiveLock()
  private var observers: [WorkObserver] = []
  private var isEnqueued = false
  private(set) var edits = 0
  private(set) var waits = 0
  private var label: String?

  override var name: String? {
    get { return label ?? "unnamed work" }
    set { label = newValue }
  }

  override var completionBlock: (@Sendable () -> Void)? {
    get { return super.completionBlock }
    set {
      let block = newValue
      super.completionBlock = { block?() }
    }
  }

  override var queuePriority: Operation.QueuePriority {
    get { return super.queuePriority }
    set { super.queuePriority = newValue == .veryHigh ? .high : newValue }
  }

  override var qualityOfService: QualityOfService {
    get { return super.qualityOfService }
    set { super.qualityOfService = max(newValue, .utility) }
  }

  override var dependencies: [Operation] {
    return super.dependencies.filter { !($0 is Preparation) }
  }

  func addObserver(_ observer: WorkObserver) { guardian.withLock { observers.append(observer) } }
  func willEnqueue() { guardian.withLock { isEnqueued = true } }

  override func addDependency(_ operation: Operation) {
    guardian.withLock {
      precondition(!isEnqueued, "dependencies come before the queue")
      edits += 1
    }
    super.addDependency(operation)
  }

  override func removeDependency(_ operation: Operation) {
    guardian.withLock { edits += 1 }
    super.removeDependency(operation)
  }

  override func waitUntilFinished() {
    guardian.withLock { waits += 1 }
    super.waitUntilFinished()
  }

  override final func main() {
    for observer in guardian.withLock({ observers }) { observer.workDidStart(self) }
    execute()
    for observer in guardian.withLock({ observers }) { observer.workDidFinish(self) }
  }

  func execute() {}
}

/// What work waits for without saying so.
final class Preparation: Operation, @unchecked Sendable {}

/// A queue that observes the work added to it, and wraps what is none.
class WorkQueue: OperationQueue, WorkObserver, @unchecked Sendable {
  private let notes = NSLock()
  private var noted: [String] = []
  var log: [String] { return notes.withLock { noted } }
  private func note(_ line: String) { notes.withLock { noted.append(line) } }

  override init() {
    super.init()
    maxConcurrentOperationCount = 1
  }

  override var maxConcurrentOperationCount: Int {
    get { return super.maxConcurrentOperationCount }
    set {
      note("limit \(newValue)")
      super.maxConcurrentOperationCount = newValue
    }
  }

  override var isSuspended: Bool {
    get { return super.isSuspended }
    set {
      note("suspended \(newValue)")
      super.isSuspended = newValue
    }
  }

  override func addOperation(_ operation: Operation) {
    if let work = operation as? Work {
      let preparation = Preparation()
      work.addDependency(preparation)
      work.addObserver(self)
      work.willEnqueue()
      super.addOperation(preparation)
    } else {
      note("plain")
    }
    super.addOperation(operation)
  }

  override func addOperations(_ operations: [Operation], waitUntilFinished wait: Bool) {
    for operation in operations { addOperation(operation) }
    if wait { for operation in operations { operation.waitUntilFinished() } }
  }

  override func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
    note("barrier added")
    super.addBarrierBlock(barrier)
  }

  override func cancelAllOperations() {
    note("cancelled")
    super.cancelAllOperations()
  }

  override func waitUntilAllOperationsAreFinished() {
    note("waiting")
    super.waitUntilAllOperationsAreFinished()
  }

  override class var current: OperationQueue? {
    return super.current as? WorkQueue
  }

  private static let mine = WorkQueue()
  override class var main: OperationQueue { return mine }

  func workDidStart(_ work: Work) { note("\(work.name ?? "") started") }
  func workDidFinish(_ work: Work) { note("\(work.name ?? "") finished") }
}

/// A block operation that counts its blocks and is made like the class it extends.
class CountedBlocks: BlockOperation, @unchecked Sendable {
  var count = 0
  override init() {
    count = 0
    super.init()
    name = "counted"
  }
  override func addExecutionBlock(_ block: @escaping @Sendable () -> Void) {
    count += 1
    super.addExecutionBlock(block)
  }
  override var executionBlocks: [@Sendable () -> Void] {
    return Array(super.executionBlocks.prefix(count + 1))
  }
}

final class ObservedOperationTests {
  @Test func aQueueThatOverridesAddingObservesAllItsWork() {
    let queue = WorkQueue()
    queue.isSuspended = true
    let first = Work()
    let second = Work()
    second.name = "second"
    second.addDependency(first)
    second.queuePriority = .veryHigh
    second.qualityOfService = .background
    #expect(second.queuePriority == .high && second.qualityOfService == .utility)
    second.completionBlock = {}
    queue.addOperations([second, first], waitUntilFinished: false)
    queue.addOperation { #expect(WorkQueue.current === queue) }
    queue.isSuspended = false
    second.waitUntilFinished()
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.log.prefix(4) == ["limit 1", "suspended true", "plain", "suspended false"])
    let work = queue.log.filter { $0.hasSuffix("started") || $0.hasSuffix("finished") }
    #expect(
      work == [
        "unnamed work started", "unnamed work finished", "second started", "second finished",
      ])
    #expect(second.dependencies == [first] && second.edits == 2 && second.waits == 1)
    let free = Work()
    free.addDependency(Operation())
    free.removeDependency(free.dependencies[0])
    #expect(free.edits == 2 && free.dependencies.isEmpty && free.isReady)
  }

  @Test func theMachineryCallsNoOverride() {
    let queue = WorkQueue()
    let work = Work()
    queue.addOperations([work], waitUntilFinished: true)
    #expect(work.waits == 1 && work.edits == 1)
    queue.addBarrierBlock {}
    queue.cancelAllOperations()
    queue.waitUntilAllOperationsAreFinished()
    queue.invalidate()
    #expect(queue.log.filter { ["barrier added", "cancelled", "waiting"].contains($0) }.count == 3)
  }

  @Test func classPropertiesMayBeOverridden() {
    #expect(WorkQueue.main is WorkQueue && !(OperationQueue.main is WorkQueue))
    #expect(WorkQueue.current == nil)
  }

  @Test func aBlockOperationThatOverridesItsInitialiserInheritsTheOther() {
    let notes = Notes()
    let counted = CountedBlocks { notes.add("first") }
    counted.addExecutionBlock { notes.add("second") }
    counted.addExecutionBlock { notes.add("third") }
    #expect(counted.executionBlocks.count == 3 && counted.count == 2 && counted.name == "counted")
    OperationQueue().addOperations([counted], waitUntilFinished: true)
    #expect(notes.all == ["first", "second", "third"])
  }

  @Test func theHandleOfAClosureInAQueueOfASubclassStandsForItsOperation() {
    let queue = WorkQueue()
    queue.isSuspended = true
    let notes = Notes()
    let handle: OperationHandle = queue.addOperation { notes.add("ran") }
    let other = queue.addOperation { notes.add("cancelled") }
    #expect(!handle.isFinished && handle.operation === queue.operations.first)
    other.cancel()
    #expect(other.isCancelled)
    queue.isSuspended = false
    handle.waitUntilFinished()
    queue.waitUntilAllOperationsAreFinished()
    #expect(handle.isFinished && other.isFinished && notes.all == ["ran"])
  }
}
