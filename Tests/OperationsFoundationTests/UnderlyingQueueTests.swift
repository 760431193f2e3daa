// SPDX-License-Identifier: Apache-2.0

import DispatchBackend
import OperationsFoundation
import Scheduling
import Synchronization
import TestSupport
import Testing
import ThreadPoolBackend
import WorkStealingBackend

@Suite(.contract(120)) struct UnderlyingQueueTests {
  @Test func operationsRunOnTheQueueThatWasSet() {
    let key = DispatchSpecificKey<Int>()
    let target = DispatchQueue(label: "of the user", attributes: .concurrent)
    target.setSpecific(key: key, value: 7)
    let queue = OperationQueue(scheduler: DispatchScheduler(workers: 4))
    #expect(queue.underlyingQueue == nil)
    queue.underlyingQueue = target
    #expect(queue.underlyingQueue === target)
    let total = Total()
    for _ in 0..<20 { queue.addOperation { total.add(DispatchQueue.getSpecific(key: key) ?? 0) } }
    queue.addBarrierBlock { total.add(DispatchQueue.getSpecific(key: key) ?? 0) }
    queue.waitUntilAllOperationsAreFinished()
    #expect(total.value == 21 * 7)
    queue.underlyingQueue = nil
    #expect(queue.underlyingQueue == nil)
    queue.addOperation { total.add(DispatchQueue.getSpecific(key: key) ?? 1) }
    queue.waitUntilAllOperationsAreFinished()
    #expect(total.value == 21 * 7 + 1)
  }

  private static let key = DispatchSpecificKey<Int>()

  private static func target(_ number: Int, _ attributes: DispatchQueue.Attributes = .concurrent)
    -> DispatchQueue
  {
    let queue = DispatchQueue(label: "target \(number)", attributes: attributes)
    queue.setSpecific(key: key, value: number)
    return queue
  }

  private static let schedulers: [@Sendable () -> any Scheduler] = [
    { InlineScheduler() }, { WorkStealingScheduler(workers: 2) },
    { ThreadPoolScheduler(workers: 2) }, { DispatchScheduler(workers: 2) },
  ]

  /// Runs `count` operations of several kinds and returns where they ran.
  private func places(_ queue: OperationQueue, count: Int = 20) -> Set<Int> {
    let seen = Places()
    @Sendable func note() { seen.note(DispatchQueue.getSpecific(key: Self.key) ?? 0) }
    for _ in 0..<count { queue.addOperation { note() } }
    let block = BlockOperation { note() }
    block.addExecutionBlock { note() }
    block.completionBlock = { note() }
    let after = BlockOperation { note() }
    after.addDependency(block)
    queue.addOperations([after, block], waitUntilFinished: false)
    queue.addBarrierBlock { note() }
    queue.addOperation(AsyncOperation { note() })
    queue.waitUntilAllOperationsAreFinished()
    return seen.all
  }

  /// There, to another one, and back, with limits set at either place.
  @Test(arguments: 0..<4, [-1, 1, 3]) func anyQueueMovesWhileItIsEmpty(_ place: Int, limit: Int) {
    let home = Self.schedulers[place]()
    let queue = OperationQueue(scheduler: home)
    queue.maxConcurrentOperationCount = limit
    #expect(places(queue) == [0])
    for number in 1...3 {
      let target = Self.target(number)
      queue.underlyingQueue = target
      #expect(queue.underlyingQueue === target)
      #expect(places(queue) == [number])
      queue.maxConcurrentOperationCount = number
      #expect(places(queue) == [number])
      queue.maxConcurrentOperationCount = limit
      #expect(places(queue) == [number] && queue.maxConcurrentOperationCount == limit)
    }
    queue.underlyingQueue = nil
    #expect(queue.underlyingQueue == nil && queue.scheduler === home)
    #expect(places(queue) == [0])
  }

  @Test func aQueueThatNamesNoSchedulerMoves() {
    let queue = OperationQueue()
    queue.underlyingQueue = Self.target(5)
    #expect(places(queue) == [5])
    // Others of the same scheduler stay.
    #expect(places(OperationQueue()) == [0])
    queue.underlyingQueue = nil
    #expect(places(queue) == [0])
  }

  /// Moving right after a wait, again and again: what still lingers at the old place takes nothing
  /// along.
  @Test(arguments: 0..<4, [-1, 1]) func whatIsAddedAfterTheMoveRunsThere(_ place: Int, limit: Int) {
    let queue = OperationQueue(scheduler: Self.schedulers[place]())
    queue.maxConcurrentOperationCount = limit
    let targets = (0..<4).map { Self.target($0 + 1) }
    for round in 0..<500 {
      let number = round % 5
      queue.underlyingQueue = number == 0 ? nil : targets[number - 1]
      let seen = Places()
      for _ in 0..<3 {
        queue.addOperation { seen.note(DispatchQueue.getSpecific(key: Self.key) ?? 0) }
      }
      queue.waitUntilAllOperationsAreFinished()
      guard seen.all == [number] else {
        Issue.record("round \(round): ran at \(seen.all), expected \(number)")
        return
      }
    }
  }

  /// Operations of a serial target run one at a time; suspension, cancellation and priorities hold
  /// there as well.
  @Test(arguments: 0..<4) func aSerialTargetAndTheRestOfAQueue(_ place: Int) {
    let queue = OperationQueue(scheduler: Self.schedulers[place]())
    queue.underlyingQueue = Self.target(1, [])
    let (running, most) = (Total(), Total())
    for _ in 0..<50 {
      queue.addOperation {
        running.add(1)
        if running.value > 1 { most.add(1) }
        running.add(-1)
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(most.value == 0)
    queue.isSuspended = true
    queue.maxConcurrentOperationCount = 1
    let order = Places()
    for level in [Operation.QueuePriority.low, .high] {
      let operation = BlockOperation { order.note(level.rawValue) }
      operation.queuePriority = level
      queue.addOperation(operation)
    }
    let never = BlockOperation { order.note(0) }
    queue.addOperation(never)
    never.cancel()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(order.inOrder == [4, -4] && never.isFinished)
  }

  /// The only thread skips what it waits for, if that needs no slot, whatever the limit says.
  @Test(.contract(49, 100)) func theOnlyThreadSkipsWhatItWaitsFor() async {
    await #expect(processExitsWith: .success) { Self.waitOnTheOnlyThread() }
  }

  private static func waitOnTheOnlyThread() {
    let serial = DispatchQueue(label: "of the user")
    for limit in [0, 1] {
      let (queue, other) = (OperationQueue(), OperationQueue())
      queue.underlyingQueue = serial
      other.underlyingQueue = serial
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = true
      other.maxConcurrentOperationCount = limit
      let operations = [BlockOperation {}, BlockOperation {}]
      queue.addOperation {
        for operation in operations {
          operation.queuePriority = .high
          operation.cancel()
          operation.waitUntilFinished()
        }
      }
      queue.addOperation(operations[0])
      other.addOperation(operations[1])
      queue.isSuspended = false
      queue.waitUntilAllOperationsAreFinished()
    }
  }

  /// A move takes the slot along that a drain holds on a queue whose only thread is this one.
  @Test(.contract(101)) func aMoveTakesTheSlotOfABlockedDrain() async {
    await #expect(processExitsWith: .success) { Self.moveFromTheOnlyThread() }
  }

  private static func moveFromTheOnlyThread() {
    let (serial, other) = (DispatchQueue(label: "of the user"), DispatchQueue(label: "another"))
    let outer = OperationQueue()
    outer.underlyingQueue = serial
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 30)
      fatalError("a slot did not follow its queue")
    }
    for target in [serial, other, nil] {
      outer.addOperation {
        let queue = OperationQueue()
        queue.underlyingQueue = serial
        queue.maxConcurrentOperationCount = 1
        let skipped = BlockOperation {}
        queue.addOperation(skipped)
        skipped.cancel()
        skipped.waitUntilFinished()
        queue.underlyingQueue = target
        let next = BlockOperation {}
        queue.addOperation(next)
        next.waitUntilFinished()
      }
    }
    outer.waitUntilAllOperationsAreFinished()
  }

  private func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test func changingItWhileTheQueueIsBusyIsAFault() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let queue = OperationQueue()
      queue.name = "downloads"
      queue.isSuspended = true
      queue.addOperation(BlockOperation {})
      queue.underlyingQueue = DispatchQueue(label: "of the user")
    }
    let text = message(result)
    #expect(
      text.contains("\"downloads\"") && text.contains("while it has operations or a barrier (1)"))
  }

  @Test func movingABusyQueueBackIsAFault() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let queue = OperationQueue()
      queue.underlyingQueue = DispatchQueue(label: "of the user")
      queue.isSuspended = true
      queue.addBarrierBlock {}
      queue.underlyingQueue = nil
    }
    #expect(message(result).contains("was set to \"nil\" while it has operations or a barrier"))
  }

  @Test func theMainQueueIsAFault() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      OperationQueue().underlyingQueue = .main
    }
    #expect(message(result).contains("use OperationQueue.main"))
  }
}

/// Numbers that several threads note.
private final class Places: Sendable {
  private let noted = Mutex([Int]())
  func note(_ number: Int) { noted.withLock { $0.append(number) } }
  var inOrder: [Int] { noted.withLock { $0 } }
  var all: Set<Int> { Set(inOrder) }
}
