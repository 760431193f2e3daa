// SPDX-License-Identifier: Apache-2.0

/// What a program must lead to after each of its steps, as far as both implementations promise it.
///
/// It says when the interpreter may go on, because nothing moves by itself any more, and refuses
/// steps whose outcome timing would decide or that run into a defect of Foundation (`KnownDefect`).
/// The judgement is not its own: the two implementations are compared with each other.
struct Prediction: Sendable {
  enum Phase: Sendable { case idle, pending, executing, finished }

  struct OperationState: Sendable {
    var phase = Phase.idle
    var queue: Int?
    var isCancelled = false
    /// Told to finish before anything has started it (contract 66).
    var isToldToFinish = false
    var isOpen = false
    /// Finishes without its body, whatever it depends on.
    var isToBeSkipped: Bool { isCancelled || isToldToFinish }
    var dependencies: [Int] = []
    /// Barriers it is behind; for a barrier everything before it.
    var older: [Int] = []
    var priority = 0
    /// Place among those of its level.
    var key = 0
    /// Ready ever since it was added, so that its place in the start order is promised.
    var hasPromisedPlace = false
    var hasCompletionBlock = false
    var runs = 0
    var completions = 0
  }

  struct QueueState: Sendable {
    var isSuspended = false
    var limit = -1
    /// Pending and executing ones in submission order, barriers included.
    var members: [Int] = []
    var hasKnownOrder = true
  }

  enum Waiter: Sendable, Equatable { case operation(Int), queue(Int) }

  let plans: [Plan]
  /// Refuses what runs into a defect of Foundation; else the contract alone counts.
  let avoidsDefects: Bool
  var operations: [OperationState]
  var queues: [QueueState]
  /// A job keeps a worker.
  var isOccupied = false
  var waiters: [Waiter] = []
  var returned: [Bool] = []
  var sequence = 0

  // What the last step led to.
  var listed: [Int]?
  /// Serial queues whose start order is promised.
  var orderedQueues: [Int] = []
  /// A body has made an addition that programs avoid.
  var meetsDefectInside = false
  /// Queues that bodies have added to.
  var addedByBodies: Set<Int> = []
  /// Operations that bodies have added.
  var arrivedByBodies: Set<Int> = []
  /// Pairs: the body of the first must have ended before that of the second begins.
  var edges: [(Int, Int)] = []
  /// What the last step began, in this order where it is promised.
  var begun: [Int] = []

  init(plans: [Plan], queueCount: Int, avoidsDefects: Bool) {
    self.plans = plans
    self.avoidsDefects = avoidsDefects
    operations = Array(repeating: OperationState(), count: plans.count)
    for number in plans.indices where plans[number].kind != .conditional {
      operations[number].isOpen = true
    }
    queues = Array(repeating: QueueState(), count: queueCount + 1)
  }

  /// The queue for what only the end of a program adds.
  var spareQueue: Int { queues.count - 1 }

  // MARK: Facts

  func isFinished(_ number: Int) -> Bool { operations[number].phase == .finished }
  func isExecuting(_ number: Int) -> Bool { operations[number].phase == .executing }
  func isPending(_ number: Int) -> Bool { operations[number].phase == .pending }

  /// To be skipped, or every dependency finished; and its own condition holds.
  func isReady(_ number: Int) -> Bool {
    let operation = operations[number]
    return operation.isOpen
      && (operation.isToBeSkipped || operation.dependencies.allSatisfy(isFinished))
  }

  /// Leaves its queue without a slot: its `start()` is the built-in one or not called (contract
  /// 49).
  func needsNoSlot(_ number: Int) -> Bool {
    operations[number].isToldToFinish
      || operations[number].isCancelled && plans[number].kind.inheritsStart
  }

  func isBehindBarrier(_ number: Int) -> Bool {
    !operations[number].older.allSatisfy(isFinished)
  }

  /// Waits only for a slot of its queue.
  func isStartable(_ number: Int) -> Bool {
    guard isPending(number), let queue = operations[number].queue else { return false }
    return !queues[queue].isSuspended && isReady(number) && !isBehindBarrier(number)
  }

  /// Free slots; nil when nothing limits the queue.
  func room(_ queue: Int) -> Int? {
    guard queues[queue].limit >= 0 else { return nil }
    let running = queues[queue].members.count { isExecuting($0) }
    return max(0, queues[queue].limit - running)
  }

  func hasBarrier(_ queue: Int) -> Bool {
    queues[queue].members.contains { plans[$0].kind == .barrier }
  }

  func members(_ queue: Int) -> [Int] {
    queues[queue].members.filter { plans[$0].kind != .barrier }
  }

  var isOver: Bool { plans.indices.allSatisfy { isFinished($0) || mayStayIdle($0) } }

  /// Closures and barriers that no step has added are no part of the program.
  private func mayStayIdle(_ number: Int) -> Bool {
    operations[number].phase == .idle && !plans[number].kind.isObject
  }

  /// What both implementations must show now.
  var snapshot: Snapshot {
    Snapshot(
      flags: plans.indices.map { number in
        guard plans[number].kind.isObject else { return nil }
        let operation = operations[number]
        return Snapshot.Flags(
          isReady: isBehindBarrier(number) || operation.isToldToFinish ? nil : isReady(number),
          isExecuting: isExecuting(number), isFinished: isFinished(number),
          isCancelled: operation.isCancelled, priority: operation.priority,
          dependencies: operation.dependencies)
      },
      runs: operations.map(\.runs),
      extraRuns: plans.indices.map { operations[$0].runs * plans[$0].extraBlocks },
      completions: operations.map(\.completions),
      queues: queues.indices.map {
        Snapshot.Queue(
          count: members($0).count, limit: queues[$0].limit, isSuspended: queues[$0].isSuspended,
          isQuiet: avoidsDefects ? nil : queues[$0].members.isEmpty)
      },
      returned: returned, listed: listed)
  }
}
