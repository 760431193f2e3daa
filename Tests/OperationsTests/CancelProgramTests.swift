// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import TestSupport
import Testing

extension OperationLayer {
  /// Random programs whose operations and groups cancel, wait and add in their overrides of
  /// `cancel()` and in their hooks.
  @Suite struct CancelProgramTests {
    @Test(.contract(43, 44, 52, 101), arguments: Kind.each, [false, true])
    func programsOfOverridesEndWithEverythingCancelled(_ kind: Kind, fromBodies: Bool) throws {
      for seed in 0..<(500 * stressFactor / slowness) {
        let program = CancelProgram(kind, seed: UInt64(seed))
        try program.cancelEverything(fromBodies: fromBodies)
        let faults = program.faultsInTheEnd()
        #expect(faults.isEmpty, "seed \(seed)")
        program.forget()
        guard faults.isEmpty else { return }
      }
    }
  }
}

/// Operations that wait for one that never finishes, in groups, timeouts and queues; each
/// cancellation does something more.
///
/// Some wait for others instead, in programs where one thread cancels the one queue and no override
/// waits: there nothing begins before its override is called.
private final class CancelProgram: @unchecked Sendable {
  private let kind: Kind
  private var random: SeededGenerator
  private let queues: [OperationQueue]
  /// One thread cancels the one queue, and nothing lets go before.
  private let isTogether: Bool
  /// Bodies of groups and asynchronous operations.
  private let begun = Counter()
  private let never = Operation()
  private var operations: [Operation] = []
  private var groups: [(group: OverridingGroup, members: [Operation])] = []
  private var overriding: [any Overriding] = []
  private let added = Locked<[OverridingOperation]>([])
  private let found = Locked<[String]>([])

  init(_ kind: Kind, seed: UInt64) {
    self.kind = kind
    random = SeededGenerator(seed: seed)
    isTogether = Int.random(in: 0..<4, using: &random) == 0
    let count = isTogether ? 1 : Int.random(in: 1...3, using: &random)
    queues = (0..<count).map { _ in kind.queue() }
    var top: [Operation] = []
    for _ in 0..<Int.random(in: 3...10, using: &random) { addOne(to: &top) }
    for each in overriding {
      each.steps.withLock { $0 = (before: step(), after: step()) }
    }
    if Bool.random(using: &random) { for queue in queues { queue.blockingPolicy = .help } }
    for operation in top { anyQueue().addOperation(operation) }
  }

  private func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  private func anyQueue() -> OperationQueue {
    queues[Int.random(in: 0..<queues.count, using: &random)]
  }

  /// What does not finish before it is cancelled.
  private func dependency(among top: [Operation]) -> Operation {
    isTogether && chance(2) ? top.randomElement(using: &random) ?? never : never
  }

  private func addOne(to top: inout [Operation]) {
    if groups.count < 3, chance(4) {
      let members = Array(top.suffix(Int.random(in: 0...3, using: &random)))
      top.removeLast(members.count)
      let group = OverridingGroup(members) { [begun] _ in begun.add(1) }
      // Without members it would end by itself.
      if chance(2) || isTogether && members.isEmpty { group.addDependency(dependency(among: top)) }
      groups.append((group, members))
      overriding.append(group)
      note(group, &top)
    } else if chance(4) {
      let hook = step()
      note(
        AsyncOperation(onCancel: { operation in
          hook?()
          operation.finish()
        }) { [begun] _ in begun.add(1) }, &top)
    } else {
      let operation = OverridingOperation()
      operation.addDependency(dependency(among: top))
      overriding.append(operation)
      guard !isTogether, chance(5) else { return note(operation, &top) }
      operations.append(operation)
      note(TimeoutOperation(operation, within: .seconds(600)), &top)
    }
  }

  private func note(_ operation: Operation, _ top: inout [Operation]) {
    operations.append(operation)
    top.append(operation)
  }

  /// Something that an override does; the same group is cancelled, and added to, once per step.
  private func step() -> (@Sendable () -> Void)? {
    let queue = anyQueue()
    let group = groups.randomElement(using: &random)?.group
    let isFirst = Locked(true)
    switch Int.random(in: 0..<8, using: &random) {
    case 0...2: return { queue.cancelAllOperations() }
    case 3...4 where isTogether: return nil
    case 3: return { [never] in _ = never.wait(timeout: .microseconds(50)) }
    case 4: return { if isFirst.withLock({ $0.exchange(false) }) { group?.cancel() } }
    case 5:
      return { [unowned self] in
        if let group, isFirst.withLock({ $0.exchange(false) }) { add(to: group) }
      }
    default: return nil
    }
  }

  private func add(to group: OverridingGroup) {
    let operation = OverridingOperation()
    operation.addDependency(never)
    guard (try? group.tryAddOperation(operation)) != nil else { return }
    added.withLock { $0.append(operation) }
  }

  // MARK: Running

  /// Cancels everything from up to three threads; what each of them has cancelled is marked when
  /// its call returns.
  func cancelEverything(fromBodies: Bool) throws {
    if isTogether {
      // One that is about to begin would be skipped as soon as it is marked.
      let expected = beginning(of: queues[0].operations)
      if !waitUntil(deadline: patience, { begun.value == expected }) { fault("some do not begin") }
    }
    let scheduler = kind.make(kind.workers)
    let group = isTogether ? nil : groups.randomElement(using: &random)
    var threads: [SystemThread] = []
    var callers: [OperationQueue] = []
    for _ in 0..<(isTogether ? 1 : Int.random(in: 1...3, using: &random)) {
      if fromBodies {
        let caller = OperationQueue(scheduler: scheduler)
        caller.blockingPolicy = .help
        caller.addOperation { [unowned self] in cancel(group) }
        caller.addOperation {}
        callers.append(caller)
      } else {
        threads.append(try .start(name: "canceller") { [unowned self] in cancel(group) })
      }
    }
    for thread in threads { thread.join() }
    for queue in callers + queues where !queue.wait(timeout: patience) {
      fault("\(queue) is not quiet")
    }
  }

  /// How many bodies begin before anything is cancelled.
  private func beginning(of operations: [Operation]) -> Int {
    operations.filter { $0.dependencies.isEmpty }.reduce(0) { count, operation in
      let made = groups.first { $0.group === operation }
      return count + 1 + (made.map { beginning(of: $0.members) } ?? 0)
    }
  }

  private func cancel(_ first: (group: OverridingGroup, members: [Operation])?) {
    if let first {
      first.group.cancel()
      expectMarked(first.members, "cancel() of its group has returned")
    }
    for queue in queues {
      let held = queue.operations
      queue.cancelAllOperations()
      expectMarked(held, "cancelAllOperations() of its queue has returned")
    }
  }

  /// With their members at every depth.
  private func expectMarked(_ operations: [Operation], _ when: String) {
    for operation in operations {
      if !operation.isCancelled, !operation.isFinished {
        fault("\(operation) is not marked although \(when)")
      }
      if let made = groups.first(where: { $0.group === operation }) {
        expectMarked(made.members, when)
      }
    }
  }

  private func fault(_ text: String) { found.withLock { $0.append(text) } }

  /// What was wrong, once everything is quiet.
  func faultsInTheEnd() -> [String] {
    for operation in operations where !operation.isFinished {
      fault("\(operation) has not finished")
    }
    let bodies = overriding.compactMap { $0 as? OverridingOperation } + added.withLock { $0 }
    for operation in bodies where operation.runs.value > 0 { fault("\(operation) has run") }
    return found.withLock { $0 }
  }

  /// Lets go of what the steps keep.
  func forget() { for each in overriding { each.steps.withLock { $0 = (nil, nil) } } }
}

/// What an override does before and after super.
private typealias Steps = (before: (@Sendable () -> Void)?, after: (@Sendable () -> Void)?)

private protocol Overriding: Operation { var steps: Locked<Steps> { get } }

private final class OverridingOperation: Operation, Overriding, @unchecked Sendable {
  let steps = Locked<Steps>((nil, nil))
  let runs = Counter()

  override func main() { runs.add(1) }

  override func cancel() {
    steps.withLock { $0.before }?()
    super.cancel()
    steps.withLock { $0.after }?()
  }
}

private final class OverridingGroup: GroupOperation, Overriding, @unchecked Sendable {
  let steps = Locked<Steps>((nil, nil))

  override func cancel() {
    steps.withLock { $0.before.take() }?()
    super.cancel()
    steps.withLock { $0.after.take() }?()
  }
}

extension Bool {
  /// Stores a value and returns the one before.
  fileprivate mutating func exchange(_ new: Bool) -> Bool {
    defer { self = new }
    return self
  }
}
