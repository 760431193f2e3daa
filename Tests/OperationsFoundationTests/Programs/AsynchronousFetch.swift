// SPDX-License-Identifier: Apache-2.0

import OperationsFoundation

// A program in the style of Foundation: an operation that outlives `start()`, with state of its
// own.

/// Answers on another thread some time after `start()` has returned.
class AsynchronousFetch: Operation, @unchecked Sendable {
  private let lock = NSLock()
  private var executing = false
  private var finished = false
  private var received: Int?
  private let request: Int

  init(request: Int) {
    self.request = request
    super.init()
  }

  var response: Int? { lock.withLock { received } }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { lock.withLock { executing } }
  override var isFinished: Bool { lock.withLock { finished } }

  override func start() {
    if isCancelled { return end(with: nil) }
    willChangeValue(forKey: "isExecuting")
    lock.withLock { executing = true }
    didChangeValue(forKey: "isExecuting")
    DispatchQueue.global().async { self.end(with: self.request * 2) }
  }

  private func end(with response: Int?) {
    willChangeValue(for: \.isExecuting)
    willChangeValue(for: \.isFinished)
    lock.withLock {
      executing = false
      finished = true
      received = response
    }
    didChangeValue(for: \.isExecuting)
    didChangeValue(for: \.isFinished)
  }
}

/// Fetches a few numbers, at most two at a time, and adds them up when all are there.
func sumOfResponses(to requests: [Int], cancelling cancelled: Set<Int> = []) -> Int {
  let queue = OperationQueue()
  queue.name = "fetches"
  queue.maxConcurrentOperationCount = 2
  queue.isSuspended = true
  let fetches = requests.map { AsynchronousFetch(request: $0) }
  let total = Total()
  let sum = BlockOperation {
    for fetch in fetches { total.add(fetch.response ?? 0) }
  }
  for (request, fetch) in zip(requests, fetches) {
    sum.addDependency(fetch)
    queue.addOperation(fetch)
    if cancelled.contains(request) { fetch.cancel() }
  }
  queue.addOperation(sum)
  queue.isSuspended = false
  queue.waitUntilAllOperationsAreFinished()
  return total.value
}

/// A number that several threads add to.
final class Total: @unchecked Sendable {
  private let lock = NSLock()
  private var sum = 0
  func add(_ number: Int) { lock.withLock { sum += number } }
  var value: Int { lock.withLock { sum } }
}
