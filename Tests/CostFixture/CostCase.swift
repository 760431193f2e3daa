// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import Operations
import Scheduling

/// What a public call costs while many of something have piled up (contract 134).
struct CostCase: Sendable {
  /// How a case is judged.
  enum Kind: String {
    /// Neither a call nor an item may grow.
    case call
    /// The pile is made and taken down without further calls: only its items are judged.
    case whole
    /// As `call`, but a call may grow as the pile does, which its documentation says.
    case linear
  }

  /// The call, and what else tells the case apart.
  let name: String
  /// What piles up, in the plural.
  let pile: String
  /// The most live bytes that one item of the pile may hold.
  let mostBytes: Int
  let kind: Kind
  let pileUp: @Sendable (CostStage, _ items: Int, _ calls: Int) -> Pile

  /// A case in which `call` is measured beside the pile.
  static func call(
    _ name: String, among pile: String, mostBytes: Int = 512,
    _ pileUp: @escaping @Sendable (CostStage, _ items: Int, _ calls: Int) -> Pile
  ) -> Self {
    Self(name: name, pile: pile, mostBytes: mostBytes, kind: .call, pileUp: pileUp)
  }

  /// A case in which `call` is documented to take the longer the more there are.
  static func linear(
    _ name: String, among pile: String, mostBytes: Int = 512,
    _ pileUp: @escaping @Sendable (CostStage, _ items: Int, _ calls: Int) -> Pile
  ) -> Self {
    Self(name: name, pile: pile, mostBytes: mostBytes, kind: .linear, pileUp: pileUp)
  }

  /// A case in which the pile itself is measured, from its first item to its end.
  static func whole(
    _ name: String, of pile: String, mostBytes: Int = 512,
    _ pileUp: @escaping @Sendable (CostStage, _ items: Int) -> Pile
  ) -> Self {
    Self(name: name, pile: pile, mostBytes: mostBytes, kind: .whole) { stage, items, _ in
      pileUp(stage, items)
    }
  }

  static let all =
    ofQueues + ofMembers + ofHandles + ofEdges + ofNotices + ofObservers + ofCompositions + ofGraphs
}

/// What has piled up: the call to be measured, and how to take the pile down.
struct Pile {
  /// What it held when it was largest, where only the case can tell.
  let bytes: Int?
  let call: (Int) -> Void
  let end: () -> Void

  init(
    bytes: Int? = nil, call: @escaping (Int) -> Void = { _ in }, end: @escaping () -> Void
  ) {
    self.bytes = bytes
    self.call = call
    self.end = end
  }
}

/// Where cases run: one scheduler with one worker.
struct CostStage: Sendable {
  let scheduler: any Scheduler

  func queue(limit: Int = OperationQueue.defaultMaxConcurrentOperationCount) -> OperationQueue {
    let queue = OperationQueue(scheduler: scheduler)
    queue.maxConcurrentOperationCount = limit
    return queue
  }

  /// A suspended queue with `items` operations in it.
  func members(_ items: Int, limit: Int = OperationQueue.defaultMaxConcurrentOperationCount)
    -> OperationQueue
  {
    let queue = queue(limit: limit)
    queue.isSuspended = true
    for _ in 0..<items { queue.addOperation(Empty()) }
    return queue
  }

  /// A queue with `items` operations that wait for the gate.
  func held(_ items: Int) -> (queue: OperationQueue, gate: Operation) {
    let (queue, gate) = (queue(), Operation())
    for _ in 0..<items {
      let operation = Empty()
      operation.addDependency(gate)
      queue.addOperation(operation)
    }
    return (queue, gate)
  }

  /// Bytes in use by the program in all arenas of the system's allocator.
  static func liveBytes() -> Int { Int(shim_live_bytes()) }

  /// Lets all members go and waits for them.
  static func drain(_ queue: OperationQueue) { drain([queue]) }

  /// Lets all members of all of them go before it waits for the first.
  static func drain(_ queues: [OperationQueue]) {
    for queue in queues { queue.isSuspended = false }
    for queue in queues { queue.waitUntilAllOperationsAreFinished() }
  }
}

/// An operation that does nothing.
final class Empty: Operation, @unchecked Sendable {
  override func main() {}
}
