// SPDX-License-Identifier: Apache-2.0

/// What an operation of a program is.
enum Kind: String, Sendable, CaseIterable {
  /// The base class itself, which does nothing.
  case plain
  /// A block operation with one to three blocks.
  case block
  /// A subclass with a body.
  case subclass
  /// A subclass whose own condition must hold as well before it is ready.
  case conditional
  /// An asynchronous operation that executes until a `finish` step.
  case held
  /// As `held`, through overrides of `start()`, `isExecuting` and `isFinished`.
  case custom
  /// A subclass whose body blocks its thread until a `finish` step.
  case latched
  /// A closure added to a queue: no object.
  case closure
  /// A barrier block: no object.
  case barrier

  var isObject: Bool { self != .closure && self != .barrier }
  /// Executes until a `finish` step.
  var isHeld: Bool { self == .held || self == .custom || self == .latched }
  /// One of the library's own classes.
  var isStock: Bool { self == .plain || self == .block || self == .closure || self == .barrier }
}

/// One call that a program makes; operations and queues by number.
indirect enum Step: Sendable, Equatable, CustomStringConvertible {
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

  var description: String {
    switch self {
    case .add(let number, let queue): "add \(number) to queue \(queue)"
    case .addAll(let numbers, let queue, let waits):
      "add all of \(numbers) to queue \(queue)\(waits ? ", wait for them" : "")"
    case .together(let steps):
      "at once: " + steps.map(\.description).joined(separator: ", ")
    case .cancel(let number): "cancel \(number)"
    case .cancelAll(let queue): "cancel all of queue \(queue)"
    case .suspend(let queue, let on): "\(on ? "suspend" : "resume") queue \(queue)"
    case .limit(let queue, let limit): "limit queue \(queue) to \(limit)"
    case .prioritise(let number, let level): "set priority of \(number) to \(level)"
    case .depend(let number, let other): "make \(number) depend on \(other)"
    case .undepend(let number, let other): "remove \(other) from the dependencies of \(number)"
    case .finish(let number): "finish \(number)"
    case .open(let number, let on): "\(on ? "open" : "close") \(number)"
    case .start(let number): "start \(number) by hand"
    case .complete(let number): "give \(number) a completion block"
    case .wait(let number): "a thread waits for \(number)"
    case .waitForQueue(let queue): "a thread waits for queue \(queue)"
    case .list(let queue): "list queue \(queue)"
    }
  }
}

extension Step {
  /// The operations that it adds.
  var added: [Int] {
    switch self {
    case .add(let number, _): [number]
    case .addAll(let numbers, _, _): numbers
    case .together(let steps): steps.flatMap(\.added)
    default: []
    }
  }

  /// The operation that a body's step concerns.
  var number: Int? {
    switch self {
    case .add(let number, _), .cancel(let number), .finish(let number), .start(let number): number
    default: nil
    }
  }
}

/// What an operation of a program does when it runs.
struct Plan: Sendable {
  var kind: Kind
  /// Further blocks of a block operation.
  var extraBlocks = 0
  /// Additions and cancellations that the body makes.
  var inBody: [Step] = []
  /// Those that the completion block makes, if the program assigns one.
  var inCompletion: [Step] = []
}

/// A program as a value: what to make, and the steps that one thread takes.
struct Program: Sendable, CustomStringConvertible {
  var seed: UInt64
  /// Queues that steps use; one more exists for what the end of the program has to add.
  var queueCount: Int
  var plans: [Plan]
  var steps: [Step]

  var description: String {
    var lines = ["seed \(seed), \(queueCount) queues and a spare one, operations:"]
    for (number, plan) in plans.enumerated() {
      var line = "  \(number): \(plan.kind.rawValue)"
      if plan.extraBlocks > 0 { line += " of \(plan.extraBlocks + 1) blocks" }
      if !plan.inBody.isEmpty { line += ", its body: \(plan.inBody)" }
      if !plan.inCompletion.isEmpty { line += ", its completion block: \(plan.inCompletion)" }
      lines.append(line)
    }
    lines += steps.enumerated().map { "  step \($0.offset): \($0.element)" }
    return lines.joined(separator: "\n")
  }
}
