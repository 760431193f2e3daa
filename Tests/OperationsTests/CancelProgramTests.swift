// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import TestSupport
import Testing

extension OperationLayer {
  /// Random programs whose operations and groups cancel, wait and add in their overrides of `cancel()` and in their hooks.
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

/// Operations that wait for one that never finishes, in groups, timeouts and queues; each cancellation does something more.
private final class CancelProgram: @unchecked Sendable {
  private let kind: Kind
  private var random: SeededGenerator
  private let queues: [OperationQueue]
  private let never = Operation()
  private var operations: [Operation] = []
  private var groups: [(group: OverridingGroup, members: [Operation])] = []
  private var overriding: [any Overriding] = []
  private let added = Locked<[OverridingOperation]>([])
  private let found = Locked<[String]>([])

  init(_ kind: Kind, seed: UInt64) {
    self.kind = kind
    random = SeededGenerator(seed: seed)
    queues = (0...Int.random(in: 0...2, using: &random)).map { _ in kind.queue() }
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

  private func addOne(to top: inout [Operation]) {
    if groups.count < 3, chance(4) {
      let members = Array(top.suffix(Int.random(in: 0...3, using: &random)))
      top.removeLast(members.count)
      let group = OverridingGroup(members)
      if chance(2) { group.addDependency(never) }
      groups.append((group, members))
      overriding.append(group)
      note(group, &top)
    } else if chance(4) {
      let hook = step()
      note(
        AsyncOperation(onCancel: { operation in
          hook?()
          operation.finish()
        }) { _ in }, &top)
    } else {
      let operation = OverridingOperation()
      operation.addDependency(never)
      overriding.append(operation)
      guard chance(5) else { return note(operation, &top) }
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

  /// Cancels everything from up to three threads; what each of them has cancelled is marked when its call returns.
  func cancelEverything(fromBodies: Bool) throws {
    let scheduler = kind.make(kind.workers)
    let group = groups.randomElement(using: &random)
    var threads: [SystemThread] = []
    var callers: [OperationQueue] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
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

  private func cancel(_ first: (group: OverridingGroup, members: [Operation])?) {
    if let first {
      first.group.cancel()
      expectMarked(first.members, "cancel() of its group has returned")
    }
    for queue in queues {
      let held = queue.operations
      queue.cancelAllOperations()
      expectMarked(held, "cancelAllOperations() has returned")
      for (group, members) in groups where held.contains(where: { $0 === group }) {
        expectMarked(members, "cancelAllOperations() of its group's queue has returned")
      }
    }
  }

  private func expectMarked(_ operations: [Operation], _ when: String) {
    for operation in operations where !operation.isCancelled && !operation.isFinished {
      fault("\(operation) is not marked although \(when)")
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
