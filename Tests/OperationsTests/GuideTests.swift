// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import OperationsDiagnosis
import Scheduling
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

// What stands for the user's own code in the snippets.

private struct NotFound: Error {}

private func fetch(_ name: String) async throws -> String {
  await Task.yield()
  if name.isEmpty { throw NotFound() }
  return "content of \(name)"
}

private func check(_ number: Int) throws {
  if number == 2 { throw NotFound() }
}

private func startRequest(_ done: @escaping @Sendable ((any Error)?) -> Void) {
  Task { done(nil) }
}

private func sum(_ numbers: ArraySlice<Int>) -> Int {
  guard numbers.count > 4 else { return numbers.reduce(0, +) }
  let middle = numbers.startIndex + numbers.count / 2
  let (left, right) = forkJoin {
    sum(numbers[..<middle])
  } _: {
    sum(numbers[middle...])
  }
  return left + right
}

private final class Invoice: Operation, @unchecked Sendable {
  var amount = 0
  override func main() { print("invoice:", amount) }
}

extension OperationLayer {
  /// The snippets of `Using.md`, word for word.
  @Suite struct GuideTests {
    /// What the page shows compiles, and does what the tests below say.
    @Test func everySnippetOfTheGuideIsHere() {
      let (snippets, missing) = Guide.snippets(
        of: "Sources/Operations/Operations.docc/Using.md", in: #filePath)
      #expect(missing.isEmpty, "\(missing)")
      #expect(snippets > 20)
    }

    private func makeQueue() -> OperationQueue {
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
      return queue
    }

    @Test func asyncOperations() async {
      let queue = makeQueue()
      let page = Locked("")
      let download = AsyncOperation {
        let text = try await fetch("index")
        page.withLock { $0 = text }
      }
      queue.addOperation(download)
      await download.finished()
      if let error = download.error { print("failed:", error) }
      #expect(page.withLock { $0 } == "content of index" && download.error == nil)

      let request = AsyncOperation { operation in
        startRequest { error in
          if let error { operation.finish(throwing: error) } else { operation.finish() }
        }
      }
      queue.addOperation(request)
      await queue.finished()
      #expect(request.isFinished && request.error == nil)
    }

    @Test func results() throws {
      let queue = makeQueue()
      let words = ResultOperation { "one two three".split(separator: " ").count }
      let report = ResultOperation(from: words) { "\($0) words" }
      queue.addOperations([words, report], waitUntilFinished: true)
      print(try report.value())
      #expect(try report.value() == "3 words")

      let price = ResultOperation { 42 }
      let invoice = Invoice()
      invoice.addDependency(on: price) { [unowned invoice] result in
        invoice.amount = (try? result.get()) ?? 0
      }
      queue.addOperations([price, invoice], waitUntilFinished: true)
      #expect(invoice.amount == 42)
    }

    @Test func throwingTwins() {
      let (queue, operation) = (makeQueue(), BlockOperation {})
      queue.isSuspended = true
      queue.addOperation(operation)
      do { try queue.tryAddOperation(operation) } catch {
        print(error)  // BlockOperation 0x… (pending, ready) is in queue "…" already, …
      }
      #expect(queue.operationCount == 1)
      queue.isSuspended = false
      queue.expectQuiet()
    }

    @Test func observing() {
      let (queue, operation, seen) = (makeQueue(), BlockOperation {}, Log())
      let observation = operation.observe(\.isFinished) { operation, change in
        print(operation, "finished:", change.newValue)
      }
      let length = queue.observe(\.operationCount) { queue, change in
        print(queue.name ?? "", "holds", change.newValue)
      }
      operation.onFinish { print($0, $0.isCancelled ? "was cancelled" : "is done") }
      operation.onFinish { _ in seen.note(1) }
      let first = operation.observe(\.isFinished, options: [.initial, .new]) { operation, change in
        print(operation, "finished:", change.newValue ?? false)
      }
      queue.addOperation(operation)
      queue.expectQuiet()
      #expect(seen.values == [1])
      withExtendedLifetime((observation, length, first)) {}
    }

    @Test func waiting() async {
      let (queue, operation) = (makeQueue(), BlockOperation {})
      queue.addOperation(operation)
      func wait() {
        if !operation.wait(timeout: .seconds(60)) { print(queue.stallReport()) }
      }
      wait()
      await operation.finished()
      await queue.finished()
      #expect(operation.isFinished && queue.operationCount == 0)
    }

    @Test func cancellation() {
      let queue = makeQueue()
      let (load, parse) = (BlockOperation { print("load") }, BlockOperation { print("parse") })
      parse.addDependency(load)
      load.cancelDependentsOnCancel = true
      load.cancel()
      queue.addOperations([load, parse], waitUntilFinished: true)
      print(parse.isCancelled)  // true: it did not run
      #expect(parse.isCancelled)
    }

    @Test func groups() async {
      let queue = makeQueue()
      let checks = (1...3).map { number in ResultOperation { try check(number) } }
      let group = GroupOperation(checks, collectsErrors: true)
      group.maxConcurrentOperationCount = 2
      queue.addOperation(group)
      await group.finished()
      for error in group.errors { print("a check failed:", error) }
      #expect(group.errors.count == 1 && group.errors.first is NotFound)
    }

    @Test func timeoutAndRetry() async throws {
      let queue = makeQueue()
      let slow = ResultOperation { try await Task.sleep(for: .seconds(60)) }
      let limited = TimeoutOperation(slow, within: .milliseconds(10))
      queue.addOperation(limited)
      await limited.finished()
      do { try limited.value() } catch OperationError.timedOut { print("too slow") }
      #expect(caseName(thrown(limited.value)) == "timedOut")

      let policy = RetryPolicy(attempts: 3, delay: .milliseconds(1)) { $0 is NotFound }
      let stubborn = RetryOperation(policy) { attempt in
        ResultOperation { try await fetch(attempt < 3 ? "" : "index") }
      }
      queue.addOperation(stubborn)
      await stubborn.finished()
      print(try stubborn.value(), "after", stubborn.attemptCount, "attempts")
      #expect(try stubborn.value() == "content of index" && stubborn.attemptCount == 3)
    }

    @Test func conditionsAndResources() {
      let queue = makeQueue()
      let network = ReadinessGate()
      let upload = BlockOperation { print("upload") }
      upload.addReadinessCondition(network)
      queue.addOperation(upload)  // waits without a worker
      #expect(!upload.isReady)
      network.open()
      queue.expectQuiet()

      let level = Atomic<Int>(0)
      let enough = ReadinessPredicate { level.load(ordering: .acquiring) >= 3 }
      let brew = BlockOperation { print("brew") }
      brew.addReadinessCondition(enough)
      queue.addOperation(brew)
      level.store(3, ordering: .releasing)
      enough.signal()  // look again
      queue.expectQuiet()
      #expect(upload.isFinished && brew.isFinished)

      let memory = OperationResource(name: "memory, MB", capacity: 512)
      for size in [400, 200, 300] {
        let operation = BlockOperation { print("uses \(size) MB") }
        operation.require(memory, amount: size)
        queue.addOperation(operation)
      }
      queue.expectQuiet()
      #expect(memory.used == 0)
    }

    @Test func order() {
      let started = Log()
      let scheduler = WorkStealingScheduler(workers: 2)
      let line = OperationQueue(scheduler: scheduler, startsInOrder: true)
      line.maxConcurrentOperationCount = 1
      line.isSuspended = true
      for number in 1...3 { line.addOperation { started.note(number) } }
      line.isSuspended = false
      line.expectQuiet()
      #expect(started.values == [1, 2, 3])
    }

    @Test func finishedDependencies() {
      let queue = makeQueue()
      let (parse, print) = (BlockOperation {}, BlockOperation {})
      print.addDependency(parse)
      queue.retainsFinishedDependencies = false
      queue.addOperations([parse, print], waitUntilFinished: true)
      #expect(print.dependencies.isEmpty)
    }

    @Test func blockingPolicies() throws {
      let (queue, path) = (makeQueue(), #filePath)
      queue.blockingPolicy = .compensate
      let read = ResultOperation { OperationQueue.blocking { textOfFile(path) } }
      queue.addOperation(read)
      queue.expectQuiet()
      #expect(try !read.value().isEmpty && queue.blockingCounters.blocked == 1)
    }

    @Test func configuration() throws {
      let scheduler = WorkStealingScheduler(workers: 2)
      let settings = try OperationQueue.Configuration(
        validating: 4, name: "downloads", startsInOrder: true, blockingPolicy: .fail)
      let downloads = OperationQueue(scheduler: scheduler, configuration: settings)
      #expect(downloads.maxConcurrentOperationCount == 4 && downloads.startsInOrder)
      #expect(downloads.blockingPolicy == .fail)
    }

    @Test func gettingOutOfAJam() {
      let queue = makeQueue()
      let (chicken, egg) = (BlockOperation {}, BlockOperation {})
      chicken.addDependency(egg)
      egg.addDependency(chicken)
      do { try OperationQueue.validateGraph([chicken, egg]) } catch {
        print(error)  // these operations wait for each other and would never start: …
      }
      do { try queue.tryAddOperations([chicken, egg], validating: true) } catch {
        print(error)  // the same, and nothing was added
      }
      #expect(queue.operationCount == 0)
      queue.addOperations([chicken, egg], waitUntilFinished: false)
      print(queue.stallReport())
      print(OperationQueue.stallReport())  // of every queue
      #expect(queue.stallReport().cycles.count == 1)
      queue.invalidate()
      queue.expectQuiet()
      #expect(chicken.isCancelled && chicken.isFinished)
    }

    @Test func reportBesideATaskThatWaits() async {
      let queue = makeQueue()
      queue.addOperation {}
      let watch = Task {
        try await Task.sleep(for: .seconds(60))
        print(OperationQueue.stallReport())
      }
      await queue.finished()
      watch.cancel()
      await #expect(throws: CancellationError.self) { try await watch.value }
    }

    @Test func graphs() async throws {
      let (scheduler, log) = (WorkStealingScheduler(workers: 2), Log())
      let graph = try OperationGraph { builder in
        let left = builder.add { log.note(1) }
        let right = builder.add { log.note(2) }
        builder.add(after: [left, right]) { log.note(3) }
      }
      for _ in 1...10 { await graph.run(on: scheduler).finished() }
      #expect(log.values.count == 30 && log.values.last == 3)
    }

    @Test func forks() {
      let (queue, found) = (makeQueue(), Log())
      let values = Array(1...1000)
      let squares = Locked([Int: Int]())
      queue.addOperation {
        let (low, high) = forkJoin {
          sum(values[..<500])
        } _: {
          sum(values[500...])
        }
        found.note(low + high)
        forkEach(0..<100) { index in squares.withLock { $0[index] = index * index } }
      }
      queue.expectQuiet()
      #expect(found.values == [500_500] && squares.withLock { $0.count } == 100)
    }
  }
}
