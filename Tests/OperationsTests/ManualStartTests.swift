// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Operations

/// Something happens, once, whenever somebody looks whether the operation is ready.
private final class Interrupted: Operation, @unchecked Sendable {
  let hook = Locked<(@Sendable () -> Void)?>(nil)
  let runs = Log()

  override var isReady: Bool {
    hook.withLock { $0.take() }?()
    return super.isReady
  }
  override func main() { runs.note(1) }
}

/// As `Interrupted`, and executes until it is finished.
private final class Meanwhile: AsyncOperation, @unchecked Sendable {
  let hook = Locked<(@Sendable () -> Void)?>(nil)

  override var isReady: Bool {
    hook.withLock { $0.take() }?()
    return super.isReady
  }
}

/// Begins when it says so, which the machinery does not see.
private final class SelfStarting: AsyncOperation, @unchecked Sendable {
  private let hasBegun = Atomic<Bool>(false)

  override var isExecuting: Bool { hasBegun.load(ordering: .acquiring) && !isFinished }

  func begin() {
    willChangeValue(forKey: "isExecuting")
    hasBegun.store(true, ordering: .releasing)
    didChangeValue(forKey: "isExecuting")
  }
}

extension OperationLayer {
  /// Starting by hand, with classes of the user.
  @Suite struct ManualStartTests {
    /// What was finished in no queue ends when it begins by itself: nobody else would end it.
    @Test(.contract(63, 66)) func whatBeginsByItselfAfterItsFinishEnds() {
      let completed = Log()
      let operation = SelfStarting()
      operation.completionBlock = { completed.note(1) }
      operation.finish()
      #expect(!operation.isFinished)
      operation.begin()
      #expect(operation.isFinished && !operation.isExecuting && completed.values == [1])
    }

    /// As before, in the same moment.
    @Test(.contract(63, 66)) func beginningByItselfAndFinishingMayMeet() {
      Duel.fight(
        rounds: 40_000 * stressFactor / slowness, prepare: { _ in SelfStarting() },
        left: { $0.begin() }, right: { $0.finish() },
        check: { operation, round in
          #expect(operation.isFinished, "round \(round), seed \(stressSeed)")
          return operation.isFinished
        })
    }

    /// Started by somebody else between the looks at whether it is ready and whether it may start.
    @Test(.contract(14, 139)) func whatHasStartedMeanwhileKeepsItsResource() throws {
      let resource = OperationResource(name: "pair", capacity: 2)
      let operation = Meanwhile()
      operation.require(resource)
      operation.hook.withLock { $0 = { [weak operation] in operation?.start() } }
      #expect(caseName(thrown { try operation.tryStart() }) == "alreadyExecuting")
      #expect(operation.isExecuting && resource.used == 1)
      let queue = OperationQueue(scheduler: InlineScheduler())
      let next = Operation()
      next.require(resource, amount: 2)
      queue.addOperation(next)
      let blockers = next.resourceBlockers
      #expect(blockers == [operation])
      operation.finish()
      queue.expectQuiet()
      #expect(resource.used == 0)
    }

    /// What was taken for it in a start that came to nothing is given back after it has begun.
    @Test(.contract(117, 139)) func aLostStartLeavesTheHolderInItsLine() {
      let resource = OperationResource(name: "three", capacity: 3)
      let (holder, other) = (TestAsyncOperation(), TestAsyncOperation())
      let needs = [ResourceNeed(resource: resource, amount: 1)]
      for operation in [holder, other] { operation.require(resource) }
      let isTaken = ResourceArbiter.take(needs, for: holder, waits: false)
      #expect(isTaken)
      for operation in [holder, other] { operation.start() }
      ResourceArbiter.giveBack(needs, of: holder)
      let queue = OperationQueue(scheduler: InlineScheduler())
      let next = Operation()
      next.require(resource, amount: 2)
      queue.addOperation(next)
      // Two have it: neither of them is the one to blame.
      #expect(resource.used == 2 && next.resourceBlockers.isEmpty)
      other.finish()
      queue.expectQuiet()
      holder.finish()
      #expect(resource.used == 0)
    }

    @Test(.contract(11, 14, 63)) func tryStartCallsTheOverriddenStart() throws {
      let synchronous = OwnState()
      try synchronous.tryStart()
      #expect(synchronous.isFinished && synchronous.starts.load(ordering: .relaxed) == 1)

      let asynchronous = OwnState(isSynchronous: false)
      let completed = Log()
      asynchronous.completionBlock = { completed.note(1) }
      let watch = Watch(asynchronous)
      try asynchronous.tryStart()
      #expect(asynchronous.isExecuting && !asynchronous.isFinished)
      #expect {
        try asynchronous.tryStart()
      } throws: { error in
        if case OperationError.alreadyExecuting? = error as? OperationError { true } else { false }
      }
      asynchronous.end()
      #expect(asynchronous.wait(timeout: patience) && completed.values == [1])
      #expect(asynchronous.starts.load(ordering: .relaxed) == 1)
      #expect(
        watch.lines.all == [
          "executing false→true", "executing true→false", "finished false→true",
        ])
      watch.end()
    }

    @Test(.contract(10, 11)) func tryStartCallsAStartThatCallsSuper() throws {
      final class Wrapped: Operation, @unchecked Sendable {
        let log = Lines()
        override func start() {
          log.note("start")
          super.start()
          log.note(isFinished ? "finished" : "main has returned")
        }
        override func main() { log.note("main, executing \(isExecuting)") }
      }
      let operation = Wrapped()
      try operation.tryStart()
      try operation.tryStart()
      #expect(operation.isFinished)
      #expect(operation.log.all == ["start", "main, executing true", "main has returned"])
      let plain = Wrapped()
      plain.start()
      #expect(plain.log.all == ["start", "main, executing true", "finished"])
    }

    @Test(.contract(45, 55)) func cancelAndFinishFinishesWhateverTheClass() {
      let operations: [Operation] = [
        Operation(), OwnState(), OwnState(isSynchronous: false), TestOperation(),
        TestAsyncOperation(), BlockOperation {}, ResultOperation { 1 },
        GroupOperation([Operation()]),
      ]
      for operation in operations {
        operation.addDependency(Operation())
        operation.cancelAndFinish()
        #expect(operation.isFinished && operation.isCancelled && !operation.isExecuting)
        #expect(operation.wait(timeout: patience))
      }
    }

    /// A start that is going to be refused, or that comes too late, keeps nobody from the
    /// operation.
    @Test(.contract(15, 67), arguments: Kind.each)
    func aRefusedStartKeepsNobodyElseFromTheOperation(_ kind: Kind) throws {
      let queue = kind.queue()
      queue.name = "held"
      queue.isSuspended = true
      let added = Interrupted()
      added.hook.withLock { $0 = { [unowned added] in queue.addOperation(added) } }
      #expect {
        try added.tryStart()
      } throws: { error in
        guard case OperationError.ownedByQueue(_, "held")? = error as? OperationError
        else { return false }
        return true
      }
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(added.runs.values == [1])

      let started = Interrupted()
      let dependency = Operation()
      started.addDependency(dependency)
      started.hook.withLock { hook in
        hook = { [unowned started] in
          dependency.start()
          started.start()
        }
      }
      try started.tryStart()
      #expect(started.isFinished && started.runs.values == [1])
    }

    private typealias Pair = (operation: TestOperation, dependency: Operation)

    @Test(.contract(15, 67), arguments: Kind.each)
    func refusedStartsAgainstTheAdd(_ kind: Kind) {
      let queue = kind.queue()
      Duel.fight(
        rounds: 10_000 * stressFactor / slowness,
        prepare: { _ -> Pair in
          let pair: Pair = (TestOperation(), Operation())
          pair.operation.addDependency(pair.dependency)
          return pair
        },
        left: { for _ in 0..<20 { try? $0.operation.tryStart() } },
        right: { try? queue.tryAddOperation($0.operation) },
        check: { pair, round in
          let isIn = queue.operationCount == 1
          #expect(isIn, "round \(round), seed \(stressSeed): an idle operation was refused")
          pair.dependency.start()
          queue.expectQuiet()
          return isIn && pair.operation.runCount == 1
        })
    }

    @Test(.contract(18, 66)) func finishedBeforeTheStartNeedsNoDependencies() throws {
      let operation = TestAsyncOperation()
      operation.addDependency(Operation())
      operation.finish()
      #expect(!operation.isFinished)
      try operation.tryStart()
      #expect(operation.isFinished && operation.runs.load(ordering: .relaxed) == 0)
    }

    @Test(.contract(15, 16), arguments: Kind.pools)
    func startOfAMemberSaysWhetherItExecutes(_ kind: Kind) {
      let queue = kind.queue()
      queue.name = "downloads"
      let gate = Gate()
      let executing = BlockOperation { gate.wait() }
      let waiting = Operation()
      waiting.addDependency(executing)
      queue.addOperations([executing, waiting], waitUntilFinished: false)
      #expect(waitUntil(deadline: patience) { executing.isExecuting })
      #expect {
        try executing.tryStart()
      } throws: { error in
        if case OperationError.alreadyExecuting? = error as? OperationError { true } else { false }
      }
      #expect {
        try waiting.tryStart()
      } throws: { error in
        "\(error)".contains("belongs to queue \"downloads\"")
      }
      gate.open()
      queue.expectQuiet()
    }

    /// The dependency finishes, cancelled, between the look at the dependencies and the start.
    @Test(.contract(53), arguments: Kind.each)
    func cancellationIsInheritedAtTheLastMoment(_ kind: Kind) throws {
      func pair() -> (Interrupted, Operation) {
        let (operation, dependency) = (Interrupted(), Operation())
        dependency.cancelDependentsOnCancel = true
        operation.hook.withLock { $0 = { dependency.cancelAndFinish() } }
        return (operation, dependency)
      }
      let (byHand, first) = pair()
      byHand.addDependency(first)
      try byHand.tryStart()
      #expect(byHand.isCancelled && byHand.isFinished && byHand.runs.values.isEmpty)

      let queue = kind.queue()
      queue.isSuspended = true
      let (queued, second) = pair()
      queue.addOperation(queued)
      // Not registered: the operation was handed over without dependencies.
      queued.addDependency(second)
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(queued.isCancelled && queued.isFinished && queued.runs.values.isEmpty)
    }
  }
}
