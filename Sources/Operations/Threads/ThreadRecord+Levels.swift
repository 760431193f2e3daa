// SPDX-License-Identifier: Apache-2.0

import Scheduling

// What runs on a thread, level by level: operations start others by hand, wait and run what they
// wait for, finish others, whose completion blocks run on top of them. The innermost level is in
// the record's own fields, where the hot path reads and writes it; the others are in `enclosing`.
// Page: Waiting.md.

extension ThreadRecord {
  /// How far the operation of a level has come.
  enum Stage: UInt8 {
    /// Its body runs, and this thread finishes it afterwards.
    case body
    /// `start()` runs.
    case starting
    /// `start()` runs and has finished the operation: the thread does the rest when it returns.
    case finishedInStart
    /// A part of its body runs that is not its `main()`: one closure of several, a piece of its
    /// task.
    case part
    /// It has finished and given up its slot.
    case ended
  }

  /// What runs at one level of a thread's stack.
  struct Level {
    /// The operation whose body or completion block runs, a closure's cell, or 0 for a graph.
    var operation: UInt = 0
    /// The queue whose operation's body runs; the thread is a worker of its scheduler.
    ///
    /// After a manual start that of the level below.
    var queue: UInt = 0
    /// The graph whose node runs, as the address of its `GraphControl`, or the `GraphRun` whose
    /// handlers run, tagged.
    var graph: UInt = 0
    /// The queue whose operation's completion block runs.
    var completingQueue: UInt = 0
    var stage = Stage.body
    /// Started by hand: what the level says of queue and graph is copied from the level below.
    var isByHand = false

    /// Set in `graph` for a run that has ended.
    static let endedRunTag: UInt = 1

    /// The level of another thread that runs a part of the body: it is not the one that does the
    /// rest when `start()` returns.
    var onAnotherThread: Self {
      guard stage == .starting || stage == .finishedInStart else { return self }
      var level = self
      level.stage = .part
      return level
    }

    /// The graph run that the level belongs to.
    var run: GraphRun? {
      guard graph & Self.endedRunTag != 0 else { return GraphControl.run(at: graph) }
      // SAFETY: the thread that calls the handlers keeps the run.
      return unsafe Unmanaged.at(graph & ~Self.endedRunTag).takeUnretainedValue()
    }

    /// The queue whose operation the level runs, or whose completion block.
    var ownQueue: OperationQueue? {
      let word = queue | completingQueue
      guard word != 0 else { return nil }
      // SAFETY: the operation is a member until its completion block has returned, which keeps the
      // queue.
      return unsafe OperationQueue.reference(word).takeUnretainedValue()
    }

    /// What a wait at the level would block; nil for what belongs to neither a queue nor a graph.
    var place: WaitPlace? {
      if let queue = ownQueue { return WaitPlace(queue: queue, scheduler: queue.scheduler) }
      return run.map { WaitPlace(queue: nil, scheduler: $0.scheduler) }
    }

    /// The level's operation takes a slot of its queue until the level returns.
    var isExecuting: Bool {
      guard queue != 0, !isByHand, stage != .ended else { return false }
      guard stage == .part, Operation.isOperation(at: operation) else { return true }
      // A part may go on after another one has finished the operation.
      // SAFETY: whoever runs the level keeps the operation.
      return unsafe !Operation.reference(operation)._withUnsafeGuaranteedRef(\.isSealed)
    }
  }

  /// The innermost level.
  var level: Level {
    get {
      Level(
        operation: currentOperation, queue: currentQueue, graph: currentGraph,
        completingQueue: completingQueue, stage: stage, isByHand: isByHand)
    }
    set {
      currentOperation = newValue.operation
      currentQueue = newValue.queue
      currentGraph = newValue.graph
      completingQueue = newValue.completingQueue
      stage = newValue.stage
      isByHand = newValue.isByHand
    }
  }

  /// An operation, a completion block or a graph's node runs here.
  @inline(__always) var isInside: Bool { currentOperation | currentGraph != 0 }

  // MARK: Entering and leaving

  /// Notes that the body of an operation of `queue` runs; what is given back goes to `pop`.
  @inline(__always) func push(_ operation: UInt, _ queue: OperationQueue) -> Bool {
    let isNested = isInside
    if isNested { pushLevel() }
    currentOperation = operation
    currentQueue = queue.word
    return isNested
  }

  /// Notes that the outer level runs again.
  @inline(__always) func pop(_ isNested: Bool) {
    currentOperation = 0
    currentQueue = 0
    if isNested { popLevel() }
  }

  /// Notes that a level of any kind runs; what is given back goes to `leaveLevel`.
  func enterLevel(_ next: Level) -> Bool {
    let isNested = isInside
    if isNested { pushLevel() }
    level = next
    return isNested
  }

  /// Notes that the outer level runs again.
  func leaveLevel(_ isNested: Bool) {
    level = Level()
    if isNested { popLevel() }
  }

  @inline(never) private func pushLevel() {
    enclosing.append(level)
    level = Level()
  }

  @inline(never) private func popLevel() {
    if let outer = enclosing.popLast() { level = outer }
  }

  /// Notes that an operation runs which was started by hand; `OperationQueue.current` stays
  /// (contract 118).
  func enterByHand(_ operation: Operation) -> Bool {
    var next = level
    next.operation = operation.word
    next.stage = .starting
    next.isByHand = true
    return enterLevel(next)
  }

  /// Notes that a part of an operation's body runs that is not its `main()`; `queue` is nil after a
  /// manual start.
  func enterPart(of operation: Operation, _ queue: OperationQueue?) -> Bool {
    var next = level
    next.isByHand = queue == nil
    if let queue { next = Level(queue: queue.word) }
    next.operation = operation.word
    next.stage = .part
    return enterLevel(next)
  }

  /// Runs a job of the machinery in the name of the operation whose members it is about: user code
  /// that waits inside of it waits as a part of that operation's body.
  func asPart(of owner: Owner?, _ body: () -> Void) {
    guard let owner, let queue = owner.queue else { return body() }
    let outer = enterLevel(Level(operation: owner.operation, queue: queue.word, stage: .part))
    body()
    leaveLevel(outer)
  }

  /// Notes that the completion block of an operation runs; `queue` is 0 after a manual start.
  func enterCompletion(of operation: Operation, _ queue: UInt) -> Bool {
    enterLevel(Level(operation: operation.word, completingQueue: queue, stage: .ended))
  }

  /// Runs `body` as the completion block of an operation.
  ///
  /// Its level takes the place of the body's, if that is the innermost one and the body has ended
  /// in a queue: it holds nothing up any more.
  @inline(__always) func runCompletion(of operation: Operation, _ queue: UInt, _ body: () -> Void) {
    guard currentOperation == operation.word, currentQueue == queue, queue != 0, stage == .ended
    else {
      let outer = enterCompletion(of: operation, queue)
      body()
      return leaveLevel(outer)
    }
    let ended = level
    level = Level(operation: operation.word, completingQueue: queue, stage: .ended)
    body()
    level = ended
  }

  /// Notes that a node of the graph at `word` runs now; what is given back goes to `leaveNode`.
  @inline(__always) func enterNode(_ word: UInt) -> Bool {
    guard !isInside else { return enterLevel(Level(graph: word)) }
    currentGraph = word
    return false
  }

  /// Notes that what `enterNode` found runs again.
  @inline(__always) func leaveNode(_ isNested: Bool) {
    currentGraph = 0
    if isNested { leaveLevel(true) }
  }

  // MARK: Finishing inside of start()

  /// Whether this thread is inside `start()` of the operation, which has finished: the rest is done
  /// when that returns.
  func leavesRestToStart(of operation: Operation) -> Bool {
    if currentOperation == operation.word, stage == .starting {
      stage = .finishedInStart
      return true
    }
    for index in enclosing.indices
    where enclosing[index].operation == operation.word && enclosing[index].stage == .starting {
      enclosing[index].stage = .finishedInStart
      return true
    }
    return false
  }

  /// `start()` has returned; true when the operation was finished inside of it.
  @inline(__always) func returnsFinished() -> Bool {
    defer { stage = .body }
    return stage == .finishedInStart
  }

  // MARK: Looking

  /// The run whose node runs here, with nothing else on top of it.
  var runOfGraph: GraphRun? {
    currentQueue == 0 ? GraphControl.run(at: currentGraph) : nil
  }

  /// The levels of this thread, innermost first; made without a copy, since there may be thousands.
  var levels: some Sequence<Level> {
    (0..<enclosing.count + (isInside ? 1 : 0)).reversed().lazy.map { [self] place in
      place == enclosing.count ? level : enclosing[place]
    }
  }
}

extension Operation {
  /// Whether what runs at `word` is an operation rather than a closure's cell.
  @inline(__always) static func isOperation(at word: UInt) -> Bool {
    // SAFETY: an operation has its header there, a closure's cell its slot; both are there while it
    // runs.
    let run = unsafe UnsafeMutablePointer<UInt>.at(word + UInt(OperationLayout.header)).pointee
    return run == runWord
  }

  /// The run function of operations, to tell them from cells.
  private static var runWord: UInt {
    let run: JobHeader.RunFunction = unsafe operationRun
    return unsafe unsafeBitCast(run, to: UInt.self)
  }
}
