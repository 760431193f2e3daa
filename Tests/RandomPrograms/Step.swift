// SPDX-License-Identifier: Apache-2.0

/// One call that a program makes; operations, queues, resources and gates by number.
package indirect enum Step: Sendable, Equatable {
  case add(Int, queue: Int)
  case addAll([Int], queue: Int, waits: Bool)
  /// Additions that follow each other without waiting for what they cause.
  case together([Step])
  case cancel(Int)
  case cancelAll(queue: Int)
  case suspend(queue: Int, Bool)
  case limit(queue: Int, Int)
  case prioritise(Int, Int)
  case depend(Int, on: Int)
  case undepend(Int, on: Int)
  /// Ends an operation of a held kind.
  case finish(Int)
  /// Sets the condition of a conditional operation.
  case open(Int, Bool)
  case start(Int)
  /// Assigns the completion block.
  case complete(Int)
  /// A thread of its own waits for an operation.
  case wait(Int)
  /// A thread of its own waits for a queue.
  case waitForQueue(Int)
  /// Reads the queue's members.
  case list(queue: Int)

  // Only in this package.

  /// A job that is no operation keeps a worker until the program has taken its last step.
  case occupy

  /// `finish()`, whatever the operation is doing.
  case finishNow(Int)
  case cancelAndFinish(Int)
  case main(Int)
  case require(Int, resource: Int, amount: Int)
  /// Makes a readiness gate a condition of the operation.
  case guardBy(Int, gate: Int)
  case openGate(Int, Bool)
  case observe(Int)
  case observeQueue(Int)
  case events(queue: Int, Bool)
  case onFinish(Int)
  /// A task awaits `finished()`.
  case await(Int)
  case awaitQueue(Int)
  /// Asks a closure's handle for its operation and keeps that.
  case handle(Int)
  case addBlock(Int)
  /// Lets go of the thread's reference.
  case drop(Int)
  case dropQueue(Int)
  case name(queue: Int)
  /// Whether the queue's operations keep finished dependencies.
  case retain(queue: Int, Bool)
  case quality(Int, Int)
  case queueQuality(queue: Int, Int)
  case invalidate(queue: Int)
  case report(queue: Int)
  case set(Int, Setting, Bool)
  /// Adds an operation to a group.
  case join(Int, group: Int)
  case limitGroup(Int, Int)
  case suspendGroup(Int, Bool)
  /// A dependency whose result is passed in.
  case inject(Int, from: Int)
  /// Reads every property of the operation.
  case look(Int)
  /// A wait with a short timeout.
  case pause(Int)
  case pauseForQueue(Int)
  /// Calls `start()` where the program knows that it may be called: the operation has finished, or
  /// nobody else has it and it is ready.
  case startNow(Int)
  /// `finish(throwing:)`, whatever the operation is doing.
  case finishThrowing(Int)
  /// Two halves of a fork.
  case both([Step], [Step])
  /// A fork over that many indices; each takes the steps.
  case each(Int, [Step])
  /// A moment inside `OperationQueue.blocking`.
  case blocking
  /// Looks for circles among operations.
  case validate([Int])
  /// Moves a queue that has never held anything to a dispatch queue or home.
  case move(queue: Int, Place)
  /// Runs a graph unless it is running.
  case run(graph: Int)
  case runAndWait(graph: Int)
  /// Cancels the latest run of a graph.
  case cancelRun(graph: Int)
  /// Waits for it with a timeout.
  case pauseForRun(graph: Int)
  /// The other threads begin.
  case fork
  /// Waits, at most a moment, until every thread of the program has come here.
  case meet
  /// A body hands out the queue that it runs in; that of something made of others.
  case handOut
  /// Waits, at most a moment, until some body has.
  case takeOver
  /// A body cancels what owns the queue that it runs in.
  case cancelOwner
  /// Adds operations that no other step knows.
  case fresh(Fresh, queue: Int)

  /// Properties of an operation that are on or off.
  package enum Setting: String, Sendable, CaseIterable {
    case cancelsDependents, keepsFinishedDependencies, finishesOnCancel, runsSerially
  }

  /// Where the operations of a queue run.
  package enum Place: String, Sendable, CaseIterable {
    case home, concurrentQueue, serialQueue
  }
}

extension Step: CustomStringConvertible {
  package var description: String {
    switch self {
    case .add(let number, let queue): "add \(number) to \(Self.named(queue))"
    case .addAll(let numbers, let queue, let waits):
      "add all of \(numbers) to \(Self.named(queue))\(waits ? ", wait for them" : "")"
    case .together(let steps):
      "at once: " + steps.map(\.description).joined(separator: ", ")
    case .cancel(let number): "cancel \(number)"
    case .cancelAll(let queue): "cancel all of \(Self.named(queue))"
    case .suspend(let queue, let on): "\(on ? "suspend" : "resume") \(Self.named(queue))"
    case .limit(let queue, let limit): "limit \(Self.named(queue)) to \(limit)"
    case .prioritise(let number, let level): "set priority of \(number) to \(level)"
    case .depend(let number, let other): "make \(number) depend on \(other)"
    case .undepend(let number, let other): "remove \(other) from the dependencies of \(number)"
    case .finish(let number): "finish \(number)"
    case .open(let number, let on): "\(on ? "open" : "close") \(number)"
    case .start(let number): "start \(number) by hand"
    case .complete(let number): "give \(number) a completion block"
    case .wait(let number): "a thread waits for \(number)"
    case .waitForQueue(let queue): "a thread waits for \(Self.named(queue))"
    case .list(let queue): "list \(Self.named(queue))"
    default: further
    }
  }

  private var further: String {
    switch self {
    case .occupy: "a job that is no operation keeps a worker"
    case .finishNow(let number): "finish() of \(number) now"
    case .cancelAndFinish(let number): "cancel and finish \(number)"
    case .main(let number): "call main() of \(number)"
    case .require(let number, let resource, let amount):
      "\(number) requires \(amount) of resource \(resource)"
    case .guardBy(let number, let gate): "gate \(gate) is a condition of \(number)"
    case .openGate(let gate, let on): "\(on ? "open" : "close") gate \(gate)"
    case .observe(let number): "observe \(number)"
    case .observeQueue(let queue): "observe \(Self.named(queue))"
    case .events(let queue, let on):
      "\(on ? "set" : "remove") the event handler of \(Self.named(queue))"
    case .onFinish(let number): "onFinish of \(number)"
    case .await(let number): "a task awaits \(number)"
    case .awaitQueue(let queue): "a task awaits \(Self.named(queue))"
    case .handle(let number): "ask the handle of \(number) for its operation"
    case .addBlock(let number): "add a block to \(number)"
    case .drop(let number): "drop \(number)"
    case .dropQueue(let queue): "drop \(Self.named(queue))"
    case .name(let queue): "rename \(Self.named(queue))"
    case .retain(let queue, let on):
      "\(Self.named(queue)) \(on ? "keeps" : "drops") finished dependencies"
    case .quality(let number, let level): "set quality of \(number) to \(level)"
    case .queueQuality(let queue, let level): "set quality of \(Self.named(queue)) to \(level)"
    case .invalidate(let queue): "invalidate \(Self.named(queue))"
    case .report(let queue): "stall report of \(Self.named(queue))"
    case .set(let number, let setting, let on): "set \(setting.rawValue) of \(number) to \(on)"
    case .join(let number, let group): "add \(number) to group \(group)"
    case .limitGroup(let group, let limit): "limit group \(group) to \(limit)"
    case .suspendGroup(let group, let on): "\(on ? "suspend" : "resume") group \(group)"
    case .inject(let number, let source): "inject the result of \(source) into \(number)"
    case .look(let number): "look at \(number)"
    case .pause(let number): "wait for \(number) with a timeout"
    case .pauseForQueue(let queue): "wait for \(Self.named(queue)) with a timeout"
    case .startNow(let number): "call start() of \(number)"
    case .finishThrowing(let number): "finish(throwing:) of \(number) now"
    case .both(let first, let second): "fork \(first) and \(second)"
    case .each(let count, let steps): "fork for each of \(count): \(steps)"
    case .blocking: "block for a moment"
    case .validate(let numbers): "look for circles among \(numbers)"
    case .move(let queue, let place): "move \(Self.named(queue)) to \(place.rawValue)"
    case .run(let graph): "run graph \(graph)"
    case .runAndWait(let graph): "run graph \(graph) and wait for it"
    case .cancelRun(let graph): "cancel the run of graph \(graph)"
    case .pauseForRun(let graph): "wait for the run of graph \(graph) with a timeout"
    case .fork: "the other threads begin"
    case .meet: "the threads meet"
    case .handOut: "hand its own queue out"
    case .takeOver: "wait for a queue that is handed out"
    case .cancelOwner: "cancel what owns its queue"
    case .fresh(let fresh, let queue): "add \(fresh) to \(Self.named(queue))"
    default: "?"
    }
  }
}

extension Step {
  /// The operations that it adds.
  package var added: [Int] {
    switch self {
    case .add(let number, _), .join(let number, _): [number]
    case .addAll(let numbers, _, _): numbers
    case .together(let steps), .each(_, let steps): steps.flatMap(\.added)
    case .both(let first, let second): (first + second).flatMap(\.added)
    default: []
    }
  }

  /// The operation that a body's step concerns.
  package var number: Int? {
    switch self {
    case .add(let number, _), .cancel(let number), .finish(let number), .start(let number): number
    default: nil
    }
  }

  /// Every operation that it names.
  package var operations: [Int] {
    switch self {
    case .add(let one, _), .cancel(let one), .prioritise(let one, _), .finish(let one),
      .open(let one, _), .start(let one), .complete(let one), .wait(let one), .finishNow(let one),
      .cancelAndFinish(let one), .main(let one), .require(let one, _, _), .guardBy(let one, _),
      .observe(let one), .onFinish(let one), .await(let one), .handle(let one), .addBlock(let one),
      .drop(let one), .quality(let one, _), .set(let one, _, _), .limitGroup(let one, _),
      .suspendGroup(let one, _), .look(let one), .pause(let one), .startNow(let one),
      .finishThrowing(let one):
      [one]
    case .depend(let one, let other), .undepend(let one, let other), .join(let one, let other),
      .inject(let one, let other):
      [one, other]
    case .addAll(let numbers, _, _), .validate(let numbers): numbers
    case .together(let steps), .each(_, let steps): steps.flatMap(\.operations)
    case .both(let first, let second): (first + second).flatMap(\.operations)
    case .cancelAll, .suspend, .limit, .waitForQueue, .list, .openGate, .observeQueue, .events,
      .awaitQueue, .dropQueue, .name, .retain, .queueQuality, .invalidate, .report, .pauseForQueue,
      .fork,
      .meet, .blocking, .move, .run, .runAndWait, .cancelRun, .pauseForRun, .occupy, .handOut,
      .takeOver, .cancelOwner, .fresh:
      []
    }
  }
}
