// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
internal import Operations
package import Scheduling
import Synchronization

/// One run of a program: its threads make their calls as fast as they can, then everything is let
/// go.
///
/// Whatever the timing, each body runs at most once, everything ends, nothing stays alive, and a
/// queue can be used again; where nothing raced with it, more is known of an operation. `faults`
/// says what did not hold.
package final class Run: Sendable {
  let program: Program
  let scheduler: any Scheduler
  let isInline: Bool
  let facts: [Facts]
  let queueFacts: [QueueFacts]
  let resources: [OperationResource]
  let gates: [ReadinessGate]
  let graphFacts: [GraphFacts]
  let graphs: [Weak<OperationGraph>]
  /// The queues inside of what is made of others that bodies have run in.
  let inners = Locked<[InnerQueue]>([])
  /// The one that a body has handed out last.
  let handed = Locked<OperationQueue?>(nil)
  /// Batches that no step but one knows.
  let batches = Locked<[FreshBatch]>([])
  /// What an operation is a member of from the beginning.
  let owners: [Int: Int]
  let operations: [Weak<Operation>]
  let queues: [Weak<OperationQueue>]
  private let ticket = Atomic<Int>(0)
  private let found = Locked<[String]>([])
  /// Threads that have come to each of the meeting points.
  private let met = Atomic<Int>(0)
  /// Tasks that await something, and those that have returned.
  let awaiting = Atomic<Int>(0)
  let awaited = Atomic<Int>(0)
  /// Bodies and blocks that take steps, and how many have ever begun to.
  let insideSteps = Atomic<Int>(0)
  let begunInside = Atomic<Int>(0)
  /// A step was taken after which any body may run.
  let mayHaveBegun = Atomic<Bool>(false)
  /// Only the first thread acts.
  let isAlone = Atomic<Bool>(true)
  let threads: Int
  /// Operations that other operations may run at a moment that nobody knows.
  let touchedInside: Set<Int>
  let certainty: Certainty
  /// Dependencies that hold for certain: the first must have ended before the second begins.
  let sureEdges = Locked<[(earlier: Int, later: Int)]>([])

  /// A thread of the program and what it keeps alive.
  package final class Actor {
    var operations: [Operation?]
    var queues: [OperationQueue?]
    let graphs: [OperationGraph]
    var observations: [Observation] = []

    init(operations: [Operation?], queues: [OperationQueue?], graphs: [OperationGraph]) {
      self.operations = operations
      self.queues = queues
      self.graphs = graphs
    }
    /// With arrays of its own: ThreadSanitizer does not see that the last user of a shared one may
    /// change it in place.
    func copy() -> Actor {
      Actor(operations: operations.map { $0 }, queues: queues.map { $0 }, graphs: graphs)
    }
  }

  /// Makes all that the program uses; the result's objects live as long as actors keep them.
  package static func make(
    _ program: Program, on scheduler: any Scheduler, isInline: Bool
  ) -> (run: Run, first: Actor) {
    let box = RunBox()
    let queues = (0...program.queueCount).map { number -> OperationQueue in
      guard number < program.queueCount else { return OperationQueue(scheduler: scheduler) }
      let plan = program.queues[number]
      let queue = OperationQueue(
        scheduler: plan.isInline ? InlineScheduler() : scheduler, startsInOrder: plan.startsInOrder)
      if let policy = BlockingPolicy(rawValue: plan.policy) { queue.blockingPolicy = policy }
      return queue
    }
    var operations: [Operation?] = []
    for number in program.plans.indices {
      operations.append(make(number, program.plans[number], operations, box))
    }
    let graphs = program.graphs.enumerated().map { number, plan in
      makeGraph(plan) { node in
        guard let run = box.run else { return }
        run.node(node, of: plan, run.graphFacts[number]) { run.firstNode(of: number) }
      }
    }
    let run = Run(program, scheduler, isInline, operations, queues, graphs)
    box.run = run
    return (run, Actor(operations: operations, queues: queues, graphs: graphs))
  }

  private init(
    _ program: Program, _ scheduler: any Scheduler, _ isInline: Bool, _ operations: [Operation?],
    _ queues: [OperationQueue], _ graphs: [OperationGraph]
  ) {
    self.program = program
    self.scheduler = scheduler
    self.isInline = isInline
    facts = program.plans.map { Facts($0) }
    graphFacts = program.graphs.map { GraphFacts($0, round: 0) }
    self.graphs = graphs.map { Weak($0) }
    queueFacts = queues.map { _ in QueueFacts() }
    resources = program.resources.enumerated().map {
      OperationResource(name: "resource \($0.offset)", capacity: $0.element)
    }
    gates = (0..<program.gates).map { _ in ReadinessGate() }
    self.operations = operations.map { Weak($0) }
    self.queues = queues.map { Weak($0) }
    threads = 1 + program.others.count
    owners = program.owners
    certainty = Certainty(program)
    touchedInside = Set(program.inside.flatMap(\.operations))
  }

  // MARK: Notes

  func fault(_ text: String) { found.withLock { $0.append(text) } }

  /// What did not hold.
  package var faults: [String] { found.withLock { $0 } }

  func nextTicket() -> Int {
    ticket.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
  }

  // MARK: Threads

  /// Takes the steps of the first thread; `fork` lets the others begin.
  package func takeSteps(of thread: Int, _ actor: Actor, fork: () -> Void = {}) {
    let steps = thread == 0 ? program.steps : program.others[thread - 1]
    var meetings = 0
    for step in steps {
      switch step {
      case .fork:
        isAlone.store(false, ordering: .sequentiallyConsistent)
        fork()
      case .meet:
        meetings += 1
        meet(meetings)
      default: perform(step, actor)
      }
    }
  }

  /// Waits until all threads are at their meeting of that number, but no longer than a moment: one
  /// may have fewer.
  private func meet(_ number: Int) {
    guard threads > 1, !isAlone.load(ordering: .sequentiallyConsistent) else { return }
    met.wrappingAdd(1, ordering: .sequentiallyConsistent)
    let wanted = number * threads
    var backoff = Backoff()
    for _ in 0..<200 {
      if met.load(ordering: .sequentiallyConsistent) >= wanted { return }
      backoff.wait()
    }
  }

  // MARK: Finding

  /// The operation, if the thread has kept it; bodies keep none, and find what is still alive.
  func operation(_ number: Int, _ actor: Actor?) -> Operation? {
    if let operation = actor?.operations[number] { return operation }
    guard program.plans[number].kind.isObject else { return nil }
    return actor == nil ? operations[number].object : nil
  }

  func queue(_ number: Int, _ actor: Actor?) -> OperationQueue? {
    if number == Step.ownQueue { return ownQueue }
    if number == Step.handedQueue { return handed.withLock { $0 } }
    guard let actor else { return queues[number].object }
    return actor.queues[number]
  }

  /// Not inlined, as `Series.now()`.
  @inline(never) func handle(_ number: Int) -> OperationHandle? {
    facts[number].handle.withLock { $0 }
  }
}

/// Lets bodies find the run, which is made after them.
final class RunBox: @unchecked Sendable {
  // Written before anything can run. The run keeps no operation, so this is no circle.
  var run: Run?
}
