// SPDX-License-Identifier: Apache-2.0

import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// In which order a finish, and an addition, hands over what they make ready.
  @Suite struct HandOverTests {
    /// How the dependency of the inline operation ends.
    enum End: CaseIterable { case inFastMode, inASlot, withABlock, fromOutside, byHand }

    /// A dependent on a scheduler without threads runs on the finishing thread, when that has done
    /// everything else.
    @Test(.contract(20, 61, 99, 101), arguments: Kind.pools, End.allCases)
    func inlineDependentsRunWhenTheFinishIsOver(_ kind: Kind, _ end: End) {
      let queue = kind.queue()
      let inlineQueue = Kind.inline.queue()
      if end == .inASlot { queue.maxConcurrentOperationCount = 1 }
      let go = Gate()
      let first =
        end == .fromOutside ? TestAsyncOperation() : TestOperation { _ in go.wait() }
      let blockRan = Atomic<Bool>(false)
      if end != .inFastMode, end != .inASlot {
        first.completionBlock = { blockRan.store(true, ordering: .sequentiallyConsistent) }
      }
      let after = TestOperation()
      let isOver = Atomic<Bool>(false)
      let onInline = TestOperation { _ in
        let isDone = after.wait(timeout: patience) && queue.wait(timeout: patience)
        let hasBlockRun = first.completionBlock == nil
        isOver.store(isDone && hasBlockRun, ordering: .sequentiallyConsistent)
      }
      onInline.addDependency(first)
      after.addDependency(first)
      inlineQueue.addOperation(onInline)
      queue.addOperation(after)
      if end != .byHand { queue.addOperation(first) }
      go.open()
      switch end {
      case .byHand: first.start()
      case .fromOutside:
        #expect(waitUntil(deadline: patience) { first.isExecuting })
        (first as? TestAsyncOperation)?.finish()
      default: first.waitUntilFinished()
      }
      #expect(onInline.wait(timeout: patience))
      let wasOver = isOver.load(ordering: .sequentiallyConsistent)
      let hasBlockRun = blockRan.load(ordering: .sequentiallyConsistent)
      #expect(wasOver && hasBlockRun == (end != .inFastMode && end != .inASlot))
      inlineQueue.expectQuiet()
      queue.expectQuiet()
    }

    /// What holds other operations and ends when they have.
    enum Composite: CaseIterable {
      case group, timeout, retry

      func make(_ body: @escaping @Sendable () -> Void) -> Operation {
        switch self {
        case .group: GroupOperation([BlockOperation(block: body)])
        case .timeout: TimeoutOperation(BlockOperation(block: body), within: .seconds(600))
        case .retry: RetryOperation(RetryPolicy(attempts: 1)) { _ in ResultOperation(body) }
        }
      }
    }

    /// The worker that a waiting inline dependent occupies is made up for.
    @Test(.contract(101, 138), arguments: Kind.pools, Composite.allCases)
    func inlineDependentsOfAMadeUpOperationMayWait(_ kind: Kind, _ composite: Composite) {
      let queue = kind.queue()
      let inlineQueue = Kind.inline.queue()
      let go = Gate()
      let first = composite.make { go.wait() }
      let hasWaited = Atomic<Bool>(false)
      let onInline = TestOperation { _ in
        let after = TestOperation()
        queue.addOperation(after)
        hasWaited.store(after.wait(timeout: patience), ordering: .releasing)
      }
      onInline.addDependency(first)
      inlineQueue.addOperation(onInline)
      queue.addOperation(first)
      go.open()
      #expect(onInline.wait(timeout: patience))
      let didWaited = hasWaited.load(ordering: .acquiring)
      #expect(didWaited)
      inlineQueue.expectQuiet()
      queue.expectQuiet()
    }

    /// The member on whose worker the inline dependent runs has left: what runs there is no part of
    /// its group.
    @Test(.contract(100, 101), arguments: Kind.pools)
    func inlineDependentOfAMemberMayWaitForTheGroup(_ kind: Kind) {
      let queue = kind.queue()
      let inlineQueue = Kind.inline.queue()
      let (go, waits) = (Gate(), Gate())
      let member = TestOperation { _ in go.wait() }
      let other = TestAsyncOperation()
      let group = GroupOperation([member, other])
      let onInline = TestOperation { _ in
        waits.open()
        group.waitUntilFinished()
        queue.waitUntilAllOperationsAreFinished()
      }
      onInline.addDependency(member)
      inlineQueue.addOperation(onInline)
      queue.addOperation(group)
      go.open()
      waits.wait()
      #expect(waitUntil(deadline: patience) { other.isExecuting })
      other.finish()
      #expect(onInline.wait(timeout: patience))
      inlineQueue.expectQuiet()
      queue.expectQuiet()
    }

    /// One thread resumes; another suspends, resumes and adds while the first still hands over what
    /// it has claimed.
    ///
    /// A job that the worker has in its hand when the suspension comes may come back late.
    @Test(.contract(86), arguments: Kind.single.filter(\.isExact))
    func additionAfterASecondResumptionComesLast(_ kind: Kind) {
      let count = 40_000 / slowness
      for round in 0..<20 {
        let queue = kind.queue()
        queue.isSuspended = true
        let started = Atomic<Int>(0)
        let place = Atomic<Int>(-1)
        for _ in 0..<count { queue.addOperation { started.add(1, ordering: .relaxed) } }
        onThreads(2) { index in
          if index == 0 {
            queue.isSuspended = false
          } else {
            while queue.isSuspended { yieldCore() }
            queue.isSuspended = true
            queue.isSuspended = false
            queue.addOperation { place.store(started.load(ordering: .relaxed), ordering: .relaxed) }
          }
        }
        queue.expectQuiet()
        let found = place.load(ordering: .relaxed)
        #expect(found >= count - 1, "round \(round)")
      }
    }

    /// All of them reach their queue before the first one starts.
    @Test(.contract(85), arguments: Kind.each, [true, false])
    func whatOneFinishMakesReadyStartsByLevel(_ kind: Kind, byHand: Bool) {
      let scheduler = kind.make(kind.workers)
      let queues = (0..<2).map { _ in OperationQueue(scheduler: scheduler) }
      for queue in queues { queue.maxConcurrentOperationCount = 1 }
      for _ in 0..<(100 / slowness + 1) {
        let source = TestAsyncOperation { byHand ? $0.finish() : () }
        let logs = [Log(), Log()]
        for number in 0..<60 {
          let (log, level) = (logs[number % 2], number / 20)
          let dependent = BlockOperation { log.note(level) }
          dependent.queuePriority = [.veryLow, .normal, .veryHigh][level]
          dependent.addDependency(source)
          queues[number % 2].addOperation(dependent)
        }
        if byHand {
          source.start()
        } else {
          let other = OperationQueue(scheduler: scheduler)
          other.addOperation(source)
          #expect(waitUntil(deadline: patience) { source.isExecuting })
          source.finish()
        }
        for queue in queues { queue.expectQuiet() }
        #expect(logs.allSatisfy { $0.values == $0.values.sorted(by: >) && $0.values.count == 30 })
      }
    }

    /// A dependent of a cancelled member does not start before the rest of the batch is in.
    @Test(.contract(87), arguments: Kind.each, [-1, 0, 1])
    func skippedMembersOfABatchReleaseNothingTooEarly(_ kind: Kind, limit: Int) {
      guard kind.isExact || limit >= 0 else { return }
      // Without a limit only one worker shows the order of starts.
      let queue = OperationQueue(scheduler: kind.make(1))
      queue.maxConcurrentOperationCount = limit
      let log = Log()
      let skipped = BlockOperation()
      let dependent = BlockOperation { log.note(1) }
      let urgent = BlockOperation { log.note(0) }
      dependent.addDependency(skipped)
      urgent.queuePriority = .veryHigh
      let others = (0..<500).map { _ in BlockOperation() }
      for operation in [skipped] + others { operation.cancel() }
      queue.addOperations([skipped, dependent] + others + [urgent], waitUntilFinished: false)
      if limit == 0 {
        #expect(skipped.wait(timeout: patience) && log.values.isEmpty)
        queue.maxConcurrentOperationCount = 1
      }
      queue.expectQuiet()
      #expect(log.values == [0, 1])
    }

    /// Nor does a dependent of a member that a finished dependency cancels.
    @Test(.contract(87), arguments: Kind.each, [-1, 0, 1])
    func membersThatInheritACancellationReleaseNothingTooEarly(_ kind: Kind, limit: Int) {
      guard kind.isExact || limit >= 0 else { return }
      let scheduler = kind.make(1)
      let source = cancelledDependency()
      let queue = OperationQueue(scheduler: scheduler)
      queue.maxConcurrentOperationCount = limit
      let log = Log()
      let unfinished = AsyncOperation()
      let heirs = [BlockOperation(), TestOperation(), BlockOperation()]
      heirs[2].addDependency(unfinished)
      let dependents = heirs.map { heir in
        heir.addDependency(source)
        let dependent = BlockOperation { log.note(1) }
        dependent.addDependency(heir)
        return dependent
      }
      let urgent = BlockOperation { log.note(0) }
      urgent.queuePriority = .veryHigh
      let others = (0..<500).map { _ in BlockOperation() }
      queue.addOperations(dependents + heirs + others + [urgent], waitUntilFinished: false)
      if limit == 0 {
        for heir in heirs { #expect(heir.wait(timeout: patience)) }
        #expect(log.values.isEmpty)
        queue.maxConcurrentOperationCount = 1
      }
      queue.expectQuiet()
      #expect(log.values == [0, 1, 1, 1])
      for heir in heirs { #expect(heir.isCancelled) }
      unfinished.finish()
    }

    /// On the inline scheduler the waiting member runs the heir, and what that releases.
    @Test(.contract(87, 101)) func aMemberOfABatchMayWaitForWhatAnHeirReleases() {
      let queue = OperationQueue(scheduler: InlineScheduler())
      let (heir, unfinished) = (BlockOperation(), AsyncOperation())
      heir.addDependency(cancelledDependency())
      heir.addDependency(unfinished)
      let dependent = BlockOperation()
      dependent.addDependency(heir)
      let waiter = BlockOperation { dependent.waitUntilFinished() }
      queue.addOperations([dependent, heir, waiter], waitUntilFinished: false)
      #expect(heir.isCancelled && dependent.isFinished && waiter.isFinished)
      unfinished.finish()
    }

    /// An override adds one that inherits a cancellation, whose own override waits for what was
    /// marked before, and cancels the queue again.
    @Test(.contract(47, 87), arguments: Kind.single, [true, false])
    func whatIsAddedInTheMiddleOfACancellationBelongsToIt(_ kind: Kind, cancelsAgain: Bool) {
      let (queue, other) = (kind.queue(), kind.queue())
      let unfinished = AsyncOperation()
      let marked = BlockOperation()
      let heir = Overriding { _ in
        if cancelsAgain { queue.cancelAllOperations() }
        marked.waitUntilFinished()
      }
      heir.addDependency(cancelledDependency())
      let adding = Overriding { count in
        if count == 1 { other.addOperations([heir, BlockOperation()], waitUntilFinished: false) }
      }
      for operation in [marked, adding] { operation.addDependency(unfinished) }
      queue.addOperations([marked, adding], waitUntilFinished: false)
      queue.cancelAllOperations()
      for queue in [queue, other] { queue.expectQuiet() }
      #expect(marked.isCancelled && adding.isCancelled && heir.isCancelled)
      #expect(adding.count == 1 && heir.count == 1)
      unfinished.finish()
    }

    /// Operations that were with the scheduler when the queue ceased to be open come back to their
    /// places.
    @Test(.contract(86, 85), arguments: Kind.single + [.inline], [true, false])
    func whatComesBackFromTheSchedulerKeepsItsPlace(_ kind: Kind, suspends: Bool) {
      let scheduler = kind.make(1)
      let other = OperationQueue(scheduler: scheduler)
      let queue = OperationQueue(scheduler: scheduler)
      let log = Log()
      let (inside, go) = (Gate(), Gate())
      let add: @Sendable () -> Void = {
        for number in 0..<20 {
          let operation = BlockOperation { log.note(number) }
          if number == 15 { operation.queuePriority = .veryHigh }
          if number % 2 == 0, number != 15 {
            queue.addOperation { log.note(number) }
          } else {
            queue.addOperation(operation)
          }
          guard number == 9 else { continue }
          if suspends { queue.isSuspended = true }
          queue.maxConcurrentOperationCount = 1
        }
      }
      if kind.isInline {
        other.addOperation(add)
      } else {
        other.addOperation {
          inside.open()
          go.wait()
        }
        inside.wait()
        add()
        go.open()
      }
      // All that came back is in the list when this has run.
      other.addOperation { inside.open() }
      other.expectQuiet()
      queue.isSuspended = false
      queue.expectQuiet()
      #expect(log.values.filter { $0 != 15 } == (0..<20).filter { $0 != 15 })
      if suspends { #expect(log.values.first == 15) }
    }

    /// An addition that finds the queue resumed comes behind what was in it.
    @Test(.contract(86, 115), arguments: Kind.single.filter(\.isExact), [true, false])
    func additionsDoNotOvertakeAResumption(_ kind: Kind, suspends: Bool) {
      let scheduler = kind.make(1)
      for _ in 0..<(20 / slowness + 1) {
        let queue = OperationQueue(scheduler: scheduler)
        if suspends { queue.isSuspended = true } else { queue.maxConcurrentOperationCount = 0 }
        let log = Log()
        queue.addOperation { log.note(0) }
        for _ in 0..<10_000 { queue.addOperation {} }
        onThreads(2) { index in
          if index == 0 {
            queue.isSuspended = false
            queue.maxConcurrentOperationCount = -1
          } else {
            while suspends ? queue.isSuspended : queue.maxConcurrentOperationCount == 0 {}
            queue.addOperation(BlockOperation { log.note(1) })
          }
        }
        queue.expectQuiet()
        #expect(log.values == [0, 1])
      }
    }
  }
}

/// Counts the calls of `cancel()`, and goes on after the mark.
private final class Overriding: Operation, @unchecked Sendable {
  private let calls = Atomic<Int>(0)
  private let goOn: @Sendable (Int) -> Void

  init(_ goOn: @escaping @Sendable (Int) -> Void) {
    self.goOn = goOn
    super.init()
  }

  var count: Int { calls.load(ordering: .relaxed) }

  override func cancel() {
    let count = calls.add(1, ordering: .relaxed).newValue
    super.cancel()
    goOn(count)
  }
}
