// SPDX-License-Identifier: Apache-2.0

import OperationsFoundation
import Testing

// A program in the style of Foundation and of Swift 5: classes with locks of their own, no
// annotations for concurrency.

/// The base class that many programs have: an operation that ends when it says so.
class ConcurrentOperation: Operation, @unchecked Sendable {
  private enum Phase { case waiting, running, done }
  private let lock = NSRecursiveLock()
  private var phase = Phase.waiting

  override var isAsynchronous: Bool { return true }

  override var isExecuting: Bool {
    lock.lock()
    defer { lock.unlock() }
    return phase == .running
  }

  override var isFinished: Bool {
    lock.lock()
    defer { lock.unlock() }
    return phase == .done
  }

  override func start() {
    if isCancelled {
      finish()
      return
    }
    willChangeValue(forKey: "isExecuting")
    set(.running)
    didChangeValue(forKey: "isExecuting")
    main()
  }

  func finish() {
    let wasRunning = isExecuting
    if wasRunning { willChangeValue(forKey: "isExecuting") }
    willChangeValue(forKey: "isFinished")
    set(.done)
    if wasRunning { didChangeValue(forKey: "isExecuting") }
    didChangeValue(forKey: "isFinished")
  }

  private func set(_ phase: Phase) {
    lock.lock()
    self.phase = phase
    lock.unlock()
  }
}

/// Answers later from another queue.
final class DownloadOperation: ConcurrentOperation, @unchecked Sendable {
  let url: String
  private(set) var body: String?
  init(url: String) {
    self.url = url
    super.init()
    name = url
  }
  override func main() {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 0.001) {
      self.body = "<\(self.url)>"
      self.finish()
    }
  }
}

/// Ready only while somebody says so, besides its dependencies.
final class GatedOperation: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var open = false
  private(set) var hasRun = false

  var isOpen: Bool {
    get { lock.withLock { open } }
    set {
      willChangeValue(forKey: "isReady")
      lock.withLock { open = newValue }
      didChangeValue(forKey: "isReady")
    }
  }
  override var isReady: Bool { return super.isReady && isOpen }
  override func main() { hasRun = true }
}

/// An older class still, which says that it is concurrent.
final class LegacyOperation: Operation, @unchecked Sendable {
  private let flags = NSLock()
  private var executing = false
  private var finished = false
  @available(*, deprecated)
  override var isConcurrent: Bool { return true }
  override var isExecuting: Bool { flags.withLock { executing } }
  override var isFinished: Bool { flags.withLock { finished } }
  override func start() {
    willChangeValue(forKey: "executing")
    flags.withLock { executing = true }
    didChangeValue(forKey: "executing")
    willChangeValue(forKey: "executing")
    willChangeValue(forKey: "finished")
    flags.withLock { (executing, finished) = (false, true) }
    didChangeValue(forKey: "executing")
    didChangeValue(forKey: "finished")
  }
}

final class ReachabilityStyleTests {
  @Test func downloadsBoundedByTheQueueEndInTheirReport() {
    let queue = OperationQueue()
    queue.name = "downloads"
    queue.maxConcurrentOperationCount = 2
    queue.qualityOfService = .utility
    let downloads = (0..<6).map { DownloadOperation(url: "page \($0)") }
    downloads[0].queuePriority = .veryLow
    downloads[1].queuePriority = .low
    downloads[2].queuePriority = .normal
    downloads[3].queuePriority = .high
    downloads[4].queuePriority = .veryHigh
    downloads[5].cancel()
    let report = BlockOperation()
    let lines = Notes()
    report.addExecutionBlock {
      for download in downloads { lines.add(download.body ?? "cancelled") }
    }
    for download in downloads { report.addDependency(download) }
    #expect(report.dependencies.count == 6 && report.executionBlocks.count == 1)
    queue.addOperations(downloads, waitUntilFinished: false)
    queue.addOperation(report)
    report.waitUntilFinished()
    #expect(lines.all.count == 6 && lines.all.last == "cancelled")
    #expect(downloads.allSatisfy { $0.isFinished && !$0.isExecuting })
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.operations.isEmpty && queue.operationCount == 0)
  }

  @Test func aGateOpensAndItsOperationRuns() {
    let queue = OperationQueue()
    let gated = GatedOperation()
    gated.completionBlock = { OperationQueue().addOperation {} }
    queue.addOperation(gated)
    queue.addOperations([Operation()], waitUntilFinished: true)
    #expect(!gated.hasRun && !gated.isReady)
    gated.isOpen = true
    queue.waitUntilAllOperationsAreFinished()
    #expect(gated.hasRun && gated.completionBlock == nil)
  }

  @Test func bareKeysAndManualStart() {
    let legacy = LegacyOperation()
    let after = Operation()
    after.addDependency(legacy)
    #expect(!after.isReady)
    legacy.start()
    #expect(legacy.isFinished && after.isReady)
    after.removeDependency(legacy)
    after.threadPriority = 0.25
    after.qualityOfService = .background
    after.start()
    #expect(after.isFinished && after.threadPriority == 0.25)
  }

  @Test func theRestOfAQueue() {
    let queue = OperationQueue()
    #expect(queue.maxConcurrentOperationCount == OperationQueue.defaultMaxConcurrentOperationCount)
    #expect(queue.underlyingQueue == nil && OperationQueue.main.maxConcurrentOperationCount == 1)
    queue.isSuspended = true
    queue.progress.totalUnitCount = 3
    let notes = Notes()
    queue.maxConcurrentOperationCount = 1
    queue.addOperation { notes.add("first") }
    queue.addBarrierBlock { notes.add("barrier") }
    queue.addOperation {
      notes.add(OperationQueue.current === queue ? "second" : "elsewhere")
    }
    let never = BlockOperation { notes.add("never") }
    queue.addOperation(never)
    never.cancel()
    #expect(queue.operationCount == 3 && never.isCancelled && !never.isFinished)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(notes.all == ["first", "barrier", "second"])
    #expect(queue.progress.completedUnitCount == 2)
    queue.isSuspended = true
    queue.addOperation { notes.add("cancelled") }
    queue.cancelAllOperations()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(notes.all.count == 3)
  }
}

/// Lines that several threads add.
final class Notes: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []
  func add(_ line: String) { lock.withLock { lines.append(line) } }
  var all: [String] { return lock.withLock { lines } }
}
