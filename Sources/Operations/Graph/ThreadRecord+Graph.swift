// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

extension ThreadRecord {
  /// What a node of a graph found on its thread.
  struct Surroundings {
    var operation: UInt = 0
    var queue: UInt = 0
    var completingQueue: UInt = 0
    var graph: UInt = 0
  }

  /// Notes that a node of the graph at `word` runs now.
  @inline(__always) func enter(_ word: UInt) -> Surroundings? {
    guard currentOperation | currentQueue | completingQueue | currentGraph != 0 else {
      currentGraph = word
      return nil
    }
    return replace(Surroundings(graph: word))
  }

  /// Notes that what `enter` found runs again.
  @inline(__always) func leave(_ outer: Surroundings?) {
    guard let outer else {
      currentGraph = 0
      return
    }
    _ = replace(outer)
  }

  /// What runs on this thread.
  @inline(__always) var surroundings: Surroundings {
    Surroundings(
      operation: currentOperation, queue: currentQueue, completingQueue: completingQueue,
      graph: currentGraph)
  }

  /// Notes what runs now and returns what did.
  @inline(never) func replace(_ next: Surroundings) -> Surroundings {
    let outer = surroundings
    currentOperation = next.operation
    currentQueue = next.queue
    completingQueue = next.completingQueue
    currentGraph = next.graph
    return outer
  }

  /// The scheduler of the graph whose node runs here, with nothing else on top of it.
  var schedulerOfGraph: (any Scheduler)? {
    currentQueue == 0 && !isInCompletionBlock
      ? GraphControl.run(at: currentGraph)?.scheduler : nil
  }

  /// Waits as a worker must: helps, or announces that it blocks, according to what runs here.
  ///
  /// - Parameters:
  ///   - awaited: what is waited for, for messages.
  ///   - isOver: whether it is over.
  ///   - runPart: runs a part of it that has not begun; false when it finds none.
  ///   - sleep: blocks the thread; returns false when the deadline has passed.
  func wait(
    for awaited: String, until deadline: UInt64?, isOver: () -> Bool, runPart: () -> Bool,
    sleep: () -> Bool
  ) -> Bool {
    flushCredit()
    if schedulerOfGraph != nil {
      return waitInNode(until: deadline, isOver: isOver, runPart: runPart, sleep: sleep)
    }
    guard let queue = OperationQueue.blocked(self) else { return sleep() }
    if queue.blockingPolicy == .fail {
      queue.waits.refused.wrappingAdd(1, ordering: .relaxed)  // relaxed: a statistic.
      if deadline == nil { Fault.waitRefused(awaited, queue) }
      return isOver()
    }
    if queue.blockingPolicy == .automatic { help(until: deadline, isOver, runPart) }
    if queue.scheduler.waitsByHelping || queue.blockingPolicy == .help {
      queue.help(self, until: deadline, isOver)
    }
    if isOver() { return true }
    queue.waits.blocked.wrappingAdd(1, ordering: .relaxed)  // relaxed: a statistic.
    queue.scheduler.willBlock()
    defer { queue.scheduler.didUnblock() }
    return whileBlocked(on: nil, queueName: awaited, in: queue, sleep)
  }

  /// As `wait`, inside a node of a graph; outside of one it only sleeps.
  func waitInNode(
    until deadline: UInt64?, isOver: () -> Bool, runPart: () -> Bool = { false },
    sleep: () -> Bool
  ) -> Bool {
    guard let scheduler = schedulerOfGraph else { return sleep() }
    help(until: deadline, isOver, runPart)
    if scheduler.waitsByHelping { help(until: deadline, isOver) { scheduler.help() } }
    if isOver() { return true }
    scheduler.willBlock()
    defer { scheduler.didUnblock() }
    return sleep()
  }

  /// Runs jobs with `one` until `isOver` says so, the time is up, or it finds none; `helpLimit` levels deep at most.
  func help(until deadline: UInt64?, _ isOver: () -> Bool, _ one: () -> Bool) {
    guard helpDepth < Self.helpLimit else { return }
    helpDepth += 1
    defer { helpDepth -= 1 }
    while !isOver(), depth < Self.depthLimit / 2 {
      if let deadline, MonotonicTime.nanoseconds() >= deadline { return }
      guard one() else { return }
      flushCredit()
    }
  }
}
