// SPDX-License-Identifier: Apache-2.0

import OperationsFoundation

/// A program for the tests of the main queue: each mode prints what it saw and exits 0.
@main enum MainQueueFixture {
  static func main() {
    let mode = CommandLine.arguments.dropFirst().first ?? ""
    switch mode {
    case "current": printCurrent()
    case "run-loop": serveRunLoop()
    case "dispatch-main": serveDispatchMain()
    case "wait-for-operation": waitForOwnOperation(isCancelled: false)
    case "wait-for-cancelled": waitForOwnOperation(isCancelled: true)
    case "wait-for-others": waitForOtherQueues()
    case "wait-for-queue":
      OperationQueue.main.waitUntilAllOperationsAreFinished()
      print("empty: returned")
      fflush(nil)
      OperationQueue.main.addOperation {}
      OperationQueue.main.waitUntilAllOperationsAreFinished()
    default:
      fatalError("usage: MainQueueFixture current|run-loop|dispatch-main|wait-…, not \(mode)")
    }
  }

  /// Before anything else has used a queue.
  private static func printCurrent() {
    print("main thread:", OperationQueue.current === OperationQueue.main)
    let other = Thread {
      print("other thread:", OperationQueue.current == nil ? "none" : "some")
      exit(0)
    }
    other.start()
    while true { sleep(1) }
  }

  private static func serveRunLoop() {
    let queue = OperationQueue.main
    queue.isSuspended = true
    queue.maxConcurrentOperationCount = 7
    queue.name = "mine"
    queue.qualityOfService = .background
    queue.underlyingQueue = DispatchQueue(label: "mine")
    print("fixed:", !queue.isSuspended, queue.maxConcurrentOperationCount, queue.name ?? "")
    print(
      "as on Foundation:", queue.qualityOfService == .userInteractive,
      queue.underlyingQueue?.label == DispatchQueue.main.label)

    let log = Log()
    let background = OperationQueue()
    let low = BlockOperation { log.add("low", OperationQueue.current) }
    low.queuePriority = .low
    let high = BlockOperation { log.add("high", OperationQueue.current) }
    high.queuePriority = .high
    let work = BlockOperation { log.add("work", OperationQueue.current) }
    let update = BlockOperation { log.add("update", OperationQueue.current) }
    update.addDependency(work)
    update.completionBlock = { log.end() }
    low.addDependency(work)
    update.addDependency(low)
    let cancelled = BlockOperation { log.add("never", nil) }
    cancelled.cancel()
    queue.addOperations([low, high, cancelled], waitUntilFinished: false)
    queue.addOperation(update)
    background.addOperation(work)
    while !log.isEnded { _ = RunLoop.main.run(mode: .default, before: Date() + 0.05) }
    for line in log.lines.sorted() { print(line) }
    print("left:", queue.operationCount)
  }

  private static func serveDispatchMain() {
    OperationQueue().addOperation {
      OperationQueue.main.addOperation {
        print("in main:", OperationQueue.current === OperationQueue.main)
        DispatchQueue.main.async {
          print("between:", OperationQueue.current === OperationQueue.main)
          exit(0)
        }
      }
    }
    dispatchMain()
  }

  /// Operations with every attribute that is kept apart.
  private static func waitForOtherQueues() {
    let queue = OperationQueue()
    let changes: [(BlockOperation) -> Void] = [
      { _ in }, { $0.name = "named" }, { $0.completionBlock = {} },
      { $0.qualityOfService = .utility }, { $0.addExecutionBlock {} },
      { _ = $0.observe(\.isFinished) { _, _ in } },
    ]
    for change in changes {
      let operation = BlockOperation { usleep(10_000) }
      change(operation)
      queue.addOperation(operation)
      operation.waitUntilFinished()
      queue.addOperations([BlockOperation {}], waitUntilFinished: true)
    }
    print("all finished")
  }

  private static func waitForOwnOperation(isCancelled: Bool) {
    let operation = BlockOperation {}
    OperationQueue.main.addOperation(operation)
    if isCancelled { operation.cancel() }
    operation.waitUntilFinished()
  }
}

/// What the operations of the run-loop mode noted.
private final class Log: @unchecked Sendable {
  private let lock = NSLock()
  private var noted: [String] = []
  private var ended = false

  func add(_ name: String, _ queue: OperationQueue?) {
    let place = queue === OperationQueue.main ? "main queue" : "other queue"
    let thread = Thread.isMainThread ? "main thread" : "other thread"
    lock.withLock { noted.append("\(name): \(place), \(thread)") }
  }
  func end() { lock.withLock { ended = true } }
  var lines: [String] { lock.withLock { noted } }
  var isEnded: Bool { lock.withLock { ended } }
}
