// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// Members of a batch that inherit the cancellation of a dependency: what follows from that comes
  /// with the batch, or behind it.
  @Suite(.contract(87)) struct BatchHeirTests {
    /// A group that inherits a cancellation may begin meanwhile: its members are not the batch's.
    @Test(.contract(101)) func membersOfAnHeirAreHandedOverInTheirOwnQueue() {
      let scheduler = InlineScheduler()
      let (queue, other) = (
        OperationQueue(scheduler: scheduler), OperationQueue(scheduler: scheduler)
      )
      queue.maxConcurrentOperationCount = 1
      let (last, unfinished) = (TestAsyncOperation(), TestAsyncOperation())
      other.addOperation(last)
      let member = Starting()
      member.addDependency(unfinished)
      let heir = heir(of: last)
      heir.addOperation(member)
      queue.addOperations([heir, BlockOperation()], waitUntilFinished: false)
      for queue in [queue, other] { queue.expectQuiet() }
      #expect(heir.isCancelled && member.isCancelled)
      unfinished.finish()
    }

    /// On the inline scheduler the waiting member runs such members, or skips what waits for a
    /// slot.
    @Test(.contract(101), arguments: [true, false])
    func aMemberOfABatchMayWaitForMembersOfAnHeir(waitsForSlot: Bool) {
      let (queue, other) = (Kind.inline.queue(), Kind.inline.queue())
      let (last, unfinished) = (TestAsyncOperation(), TestAsyncOperation())
      other.addOperation(last)
      let (executing, member) = (TestAsyncOperation(), BlockOperation())
      let heir = heir(of: last)
      if waitsForSlot {
        heir.maxConcurrentOperationCount = 1
        heir.addOperation(executing)
      } else {
        member.addDependency(unfinished)
      }
      heir.addOperation(member)
      let dependent = BlockOperation()
      dependent.addDependency(member)
      let waiter = BlockOperation {
        #expect(dependent.wait(timeout: patience))
      }
      queue.addOperations([dependent, waiter, heir], waitUntilFinished: false)
      #expect(heir.isCancelled && dependent.isFinished && waiter.isFinished)
      if waitsForSlot { executing.finish() }
      for queue in [queue, other] { queue.expectQuiet() }
      unfinished.finish()
    }

    /// What needs resources is reached as any other heir is.
    @Test(.contract(101)) func aMemberOfABatchMayWaitForWhatAnHeirWithResourcesReleases() {
      let queue = Kind.inline.queue()
      let (heir, unfinished) = (BlockOperation(), AsyncOperation())
      heir.require(OperationResource(name: "lock"))
      heir.addDependency(cancelledDependency())
      heir.addDependency(unfinished)
      let dependent = BlockOperation()
      dependent.addDependency(heir)
      let waiter = BlockOperation { #expect(dependent.wait(timeout: patience)) }
      queue.addOperations([dependent, heir, waiter], waitUntilFinished: false)
      #expect(heir.isCancelled && dependent.isFinished && waiter.isFinished)
      unfinished.finish()
    }

    /// An heir whose skip takes a slot comes by its level, with resources too.
    @Test(.contract(85), arguments: Kind.single + [.inline], [true, false])
    func anUrgentHeirIsStartedFirst(_ kind: Kind, hasResources: Bool) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 1
      let log = Log()
      let (heir, unfinished) = (Starting { log.note(0) }, AsyncOperation())
      if hasResources { heir.require(OperationResource(name: "lock")) }
      heir.queuePriority = .veryHigh
      heir.addDependency(cancelledDependency())
      heir.addDependency(unfinished)
      queue.addOperations([BlockOperation { log.note(1) }, heir], waitUntilFinished: false)
      queue.expectQuiet()
      #expect(log.values == [0, 1])
      unfinished.finish()
    }

    /// The bodies that a batch sets free by itself cancel as any other body does; in an override
    /// they are part of that.
    @Test(.contract(52), arguments: [true, false])
    func bodiesOfABatchCancelAsElsewhere(isInOverride: Bool) {
      let (queue, third) = (Kind.inline.queue(), Kind.inline.queue())
      let unfinished = AsyncOperation()
      let (calls, callsOfOther) = (Log(), Log())
      let add: @Sendable () -> Void = {
        let heir = BlockOperation()
        heir.addDependency(cancelledDependency())
        let bodies = (0..<2).map { _ in BlockOperation { third.cancelAllOperations() } }
        queue.addOperations([heir] + bodies, waitUntilFinished: false)
      }
      let other = Cancelling { callsOfOther.note(0) }
      let adding = Cancelling {
        calls.note(0)
        if isInOverride { add() }
      }
      for operation in [adding, other] { operation.addDependency(unfinished) }
      third.addOperations([adding, other], waitUntilFinished: false)
      third.isSuspended = true
      if isInOverride { third.cancelAllOperations() } else { add() }
      #expect(calls.values.count == (isInOverride ? 1 : 2))
      #expect(callsOfOther.values.count == (isInOverride ? 1 : 2))
      third.isSuspended = false
      for queue in [queue, third] { queue.expectQuiet() }
      unfinished.finish()
    }

    /// What an heir waits for besides may finish between its registration and its mark: it begins
    /// cancelled.
    @Test(.contract(53), arguments: Kind.each) func anHeirBeginsCancelled(_ kind: Kind) {
      let (queue, other) = (kind.queue(), kind.queue())
      let (last, bodies) = (TestAsyncOperation(), Log())
      other.addOperation(last)
      let heir = Overtaken({ last.finish() }, body: { bodies.note(0) })
      heir.addDependency(cancelledDependency())
      heir.addDependency(last)
      queue.addOperations([heir, BlockOperation()], waitUntilFinished: false)
      for queue in [queue, other] { queue.expectQuiet() }
      #expect(heir.isCancelled && bodies.values.isEmpty)
    }

    /// So does one that inherits from what it comes to depend on in its queue.
    @Test(.contract(53), arguments: Kind.each) func aLateHeirBeginsCancelled(_ kind: Kind) {
      let (queue, other) = (kind.queue(), kind.queue())
      let (last, bodies) = (TestAsyncOperation(), Log())
      other.addOperation(last)
      let heir = Overtaken({ last.finish() }, body: { bodies.note(0) })
      heir.addDependency(last)
      queue.addOperation(heir)
      heir.addDependency(cancelledDependency())
      for queue in [queue, other] { queue.expectQuiet() }
      #expect(heir.isCancelled && bodies.values.isEmpty)
    }

    /// So does one that an observer of its dependency lets go before it has been told.
    @Test(.contract(53), arguments: Kind.each)
    func anHeirThatAnObserverLetsGoBeginsCancelled(_ kind: Kind) {
      let (queue, bodies) = (kind.queue(), Log())
      let (dependency, last) = (Operation(), Operation())
      dependency.cancelDependentsOnCancel = true
      let heir = BlockOperation { bodies.note(0) }
      for before in [dependency, last] { heir.addDependency(before) }
      let token = dependency.observe(\.isFinished) { [unowned heir, unowned last] _, _ in
        heir.removeDependency(last)
        _ = queue.wait(timeout: .milliseconds(50))
      }
      queue.addOperation(heir)
      dependency.cancelAndFinish()
      queue.expectQuiet()
      token.invalidate()
      #expect(heir.isCancelled && bodies.values.isEmpty)
    }

    /// So does one of three dependencies that such an observer edits: what is left resolves later.
    @Test(.contract(53), arguments: Kind.each, [true, false])
    func anHeirThatAnObserverEditsBeginsCancelled(_ kind: Kind, waitsForIt: Bool) {
      let (queue, other, bodies) = (kind.queue(), kind.queue(), Log())
      let (dependency, removed, last) = (Operation(), Operation(), TestAsyncOperation())
      other.addOperation(last)
      dependency.cancelDependentsOnCancel = true
      let heir = BlockOperation { bodies.note(0) }
      for before in [dependency, removed, last] { heir.addDependency(before) }
      let token = dependency.observe(\.isFinished) { [unowned heir, unowned removed] _, _ in
        heir.removeDependency(removed)
        last.finish()
        if waitsForIt {
          #expect(heir.wait(timeout: patience))
        } else {
          _ = queue.wait(timeout: .milliseconds(50))
        }
      }
      queue.addOperation(heir)
      dependency.cancelAndFinish()
      for queue in [queue, other] { queue.expectQuiet() }
      token.invalidate()
      #expect(heir.isCancelled && bodies.values.isEmpty)
    }

    /// A dependency that comes while a begin reads `isReady` is found by that begin.
    @Test(.contract(53), arguments: Kind.each)
    func anHeirOfTheLastMomentBeginsCancelled(_ kind: Kind) {
      let (queue, bodies, edits) = (kind.queue(), Log(), Log())
      let (finished, late) = (Operation(), Operation())
      finished.cancelAndFinish()
      let heir = AskedForReadiness({ edits.note(0) }, body: { bodies.note(0) })
      heir.addDependency(finished)
      queue.isSuspended = true
      queue.addOperation(heir)
      // It is handed over, and its edges are registered: this recalls it.
      heir.addDependency(late)
      late.cancelAndFinish()
      let editor = Locked<SystemThread?>(nil)
      heir.whenAsked { [unowned heir] in
        editor.withLock {
          $0 = try? SystemThread.start(name: "editor") {
            heir.addDependency(cancelledDependency())
          }
        }
        #expect(waitUntil { !edits.values.isEmpty })
      }
      queue.isSuspended = false
      queue.expectQuiet()
      editor.withLock { $0.take() }?.join()
      #expect(heir.isCancelled && bodies.values.isEmpty)
    }

    /// A wait skips an heir where it waits, before anything else that it could run there.
    @Test(.contract(101), arguments: [false, true])
    func aWaitForAnHeirRunsNothingElse(isLate: Bool) {
      let queue = Kind.inline.queue()
      let (outer, heir) = (BlockOperation(), BlockOperation())
      outer.addExecutionBlock { [unowned outer] in
        queue.addOperation { _ = outer.wait(timeout: patience) }
        if isLate { queue.addOperation(heir) }
        heir.addDependency(cancelledDependency())
        if !isLate { queue.addOperation(heir) }
        heir.waitUntilFinished()
        #expect(heir.isFinished && queue.operationCount == 2)
      }
      queue.addOperation(outer)
      queue.expectQuiet()
      #expect(heir.isCancelled)
    }

    /// What has come to depend on something that has finished is run where it is waited for.
    @Test(.contract(101)) func aWaitRunsWhatALateDependencyDoesNotHoldBack() {
      let queue = Kind.inline.queue()
      let (outer, waited, finished) = (BlockOperation(), BlockOperation(), Operation())
      finished.cancelAndFinish()
      outer.addExecutionBlock { [unowned outer] in
        queue.addOperation { _ = outer.wait(timeout: patience) }
        queue.addOperation(waited)
        waited.addDependency(finished)
        waited.waitUntilFinished()
        #expect(waited.isFinished && queue.operationCount == 2)
      }
      queue.addOperation(outer)
      queue.expectQuiet()
    }

    /// The heirs of a batch are one cancellation.
    @Test(.contract(52)) func heirsThatCancelAQueueCallItsOverridesOnce() {
      let (queue, third) = (Kind.inline.queue(), Kind.inline.queue())
      let calls = Log()
      third.isSuspended = true
      third.addOperation(Cancelling { calls.note(0) })
      let heirs = (0..<3).map { _ in
        let heir = Cancelling { third.cancelAllOperations() }
        heir.addDependency(cancelledDependency())
        return heir
      }
      queue.addOperations(heirs, waitUntilFinished: false)
      #expect(calls.values.count == 1)
      third.isSuspended = false
      for queue in [queue, third] { queue.expectQuiet() }
    }

    /// A group that inherits a cancellation, and before its mark finishes the last of what it waits
    /// for.
    private func heir(of last: TestAsyncOperation) -> GroupOperation {
      let heir = Releasing { last.finish() }
      heir.addDependency(cancelledDependency())
      heir.addDependency(last)
      return heir
    }
  }
}

/// Gives its dependency the time to release it before its mark.
private class Overtaken: Operation, @unchecked Sendable {
  private let release: @Sendable () -> Void
  private let body: @Sendable () -> Void
  private let hasReleased = Atomic<Bool>(false)
  private let hasRun = Atomic<Bool>(false)

  init(_ release: @escaping @Sendable () -> Void, body: @escaping @Sendable () -> Void) {
    self.release = release
    self.body = body
    super.init()
  }

  override func main() {
    body()
    hasRun.store(true, ordering: .sequentiallyConsistent)
  }

  override func cancel() {
    if !hasReleased.exchange(true, ordering: .sequentiallyConsistent) {
      release()
      // On a scheduler without threads nobody comes before this returns.
      _ = waitUntil(deadline: .milliseconds(200)) {
        isFinished || hasRun.load(ordering: .sequentiallyConsistent)
      }
    }
    super.cancel()
  }
}

/// Does something once when it is asked whether it is ready.
private final class AskedForReadiness: Overtaken, @unchecked Sendable {
  private let next = Locked<(@Sendable () -> Void)?>(nil)

  func whenAsked(_ act: @escaping @Sendable () -> Void) { next.withLock { $0 = act } }

  override var isReady: Bool {
    next.withLock { $0.take() }?()
    return super.isReady
  }
}

/// Has a `start()` of its own, so that its skip takes a slot.
private final class Starting: Operation, @unchecked Sendable {
  private let note: @Sendable () -> Void

  init(_ note: @escaping @Sendable () -> Void = {}) {
    self.note = note
    super.init()
  }

  override func start() {
    note()
    super.start()
  }
}

/// Lets something go before it is cancelled.
private final class Releasing: GroupOperation, @unchecked Sendable {
  private let release: @Sendable () -> Void

  init(_ release: @escaping @Sendable () -> Void) {
    self.release = release
    super.init()
  }

  override func cancel() {
    release()
    super.cancel()
  }
}

/// Goes on after its mark.
private final class Cancelling: Operation, @unchecked Sendable {
  private let goOn: @Sendable () -> Void

  init(_ goOn: @escaping @Sendable () -> Void) {
    self.goOn = goOn
    super.init()
  }

  override func cancel() {
    super.cancel()
    goOn()
  }
}
