// SPDX-License-Identifier: Apache-2.0

import OperationsFoundation
import Testing

// A program in the style of frameworks that extend Foundation's classes, in Swift 6.

/// An operation that knows who queued it and counts who asks.
class Procedure: Operation, @unchecked Sendable {
  private let state = NSLock()
  private var counts: [String: Int] = [:]
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void = {}) {
    self.body = body
  }

  func count(_ key: String) { state.withLock { counts[key, default: 0] += 1 } }
  func counted(_ key: String) -> Int { state.withLock { counts[key] ?? 0 } }

  override func addDependency(_ operation: Operation) {
    count("dependency")
    super.addDependency(operation)
  }

  override func waitUntilFinished() {
    count("wait")
    super.waitUntilFinished()
  }

  override func main() { body() }
}

/// Tells a delegate what is added and what has finished.
class ProcedureQueue: OperationQueue, @unchecked Sendable {
  let added = Order()
  let finished = Order()

  override func addOperation(_ operation: Operation) {
    attach(to: operation)
    super.addOperation(operation)
  }

  override func addOperations(_ operations: [Operation], waitUntilFinished: Bool) {
    for operation in operations { attach(to: operation) }
    super.addOperations(operations, waitUntilFinished: waitUntilFinished)
  }

  private func attach(to operation: Operation) {
    (operation as? Procedure)?.count("added")
    added.note(1)
    let before = operation.completionBlock
    operation.completionBlock = { [finished] in
      before?()
      finished.note(1)
    }
  }

  override class var main: ProcedureQueue { shared }
  private static let shared = ProcedureQueue()
}

/// A queue with an initialiser of its own.
final class NamedQueue: ProcedureQueue, @unchecked Sendable {
  let label: String
  init(label: String) {
    self.label = label
    super.init()
    name = label
  }
  override var name: String? {
    get { "queue \(label)" }
    set { super.name = newValue }
  }
}

struct ProcedureStyleTests {
  @Test func everythingAddedIsSeenOnceWhicheverWayItComes() {
    let queue = ProcedureQueue()
    let first = Procedure()
    let second = Procedure()
    second.addDependency(first)
    queue.addOperations([second, first], waitUntilFinished: true)
    queue.addOperation(Procedure())
    queue.addOperation {}
    queue.waitUntilAllOperationsAreFinished()
    #expect(queue.added.values.count == 4 && queue.finished.values.count == 4)
    #expect(first.counted("added") == 1 && second.counted("added") == 1)
    #expect(second.counted("dependency") == 1 && second.counted("wait") == 1)
  }

  @Test func aQueueWithItsOwnInitialiser() {
    let queue = NamedQueue(label: "mine")
    #expect(queue.name == "queue mine")
    let total = Order()
    for number in 0..<100 { queue.addOperation { total.note(number) } }
    queue.waitUntilAllOperationsAreFinished()
    #expect(total.values.sorted() == Array(0..<100) && queue.added.values.count == 100)
    let main: ProcedureQueue = .main
    #expect(main === ProcedureQueue.main && main !== OperationQueue.main)
  }

  @Test func handlesOfClosuresAreGoodWhileOthersFinish() {
    let queue = ProcedureQueue()
    let ran = Order()
    for _ in 0..<2_000 {
      let handle: OperationHandle = queue.addOperation { ran.note(1) }
      handle.waitUntilFinished()
      #expect(handle.isFinished && !handle.isCancelled)
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(ran.values.count == 2_000)
  }
}
