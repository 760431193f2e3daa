// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// Runs work, and runs it again when it fails, as its policy says.
///
/// Every attempt is an operation of its own, made by a closure, on the scheduler of the queue that
/// runs this operation. The result is that of the last attempt. No thread waits between attempts.
/// Cancelling cancels the attempt that runs, and there is no further one; between two attempts it
/// ends with the error of the last one.
public final class RetryOperation<Success: Sendable>: ResultOperation<Success>, Composite,
  @unchecked Sendable
{
  private enum Phase: Sendable {
    /// An attempt is about to be made, or none any more.
    case idle
    case running(ResultOperation<Success>)
    /// Between two attempts.
    case waiting(Deadlines.Ticket)
  }

  private struct State: Sendable {
    var phase = Phase.idle
    /// Attempts made so far.
    var attempts = 0
    /// What the last attempt failed with.
    var failure: Result<Success, any Error>?
    var members: OperationQueue?
    var make: (@Sendable (Int) -> ResultOperation<Success>)?
  }

  /// How often it is tried.
  public let policy: RetryPolicy
  private let inner: Locked<State>

  /// Runs the operations that `make` makes; it gets the number of the attempt, from 1, and returns
  /// a new operation every time, in no queue or group.
  ///
  /// `make` is called on a worker, with no lock held, and released when this operation has
  /// finished.
  public init(
    _ policy: RetryPolicy, _ make: @escaping @Sendable (Int) -> ResultOperation<Success>
  ) {
    self.policy = policy
    inner = Locked(State(make: make))
    super.init(withoutBody: ())
    setInitialState(of: RetryOperation<Success>.self, StateBit.selfEndingClass)
  }

  /// How many attempts have been started.
  public var attemptCount: Int { inner.withLock { $0.attempts } }

  /// Starts the first attempt; only the first call does (contract 10).
  public override func main() {
    guard claim.take() else { return }
    guard !hasEnding else {
      letGo()
      return finishFromAnywhere()
    }
    let queue = OperationQueue(innerOf: self) { self.attemptEnded() }
    inner.withLock { $0.members = queue }
    attempt()
  }

  override func skipBody() {
    // Else somebody has started the attempts, and it ends when the one that runs has.
    guard claim.take() else { return cancelWait() }
    letGo()
    settle(nil)
    finishFromAnywhere()
  }

  /// Makes and starts the next attempt; in phase `idle`.
  private func attempt() {
    let (make, queue, number, failure) = inner.withLock { state in
      state.attempts += 1
      return (state.make, state.members, state.attempts, state.failure)
    }
    if isCancelled, let failure { return conclude(with: failure) }
    guard let make, let queue else { return }
    let operation = make(number)
    if let failure = operation.claimFailure() {
      failure.fault("attempt \(number) of \(diagnosis)")
    }
    inner.withLock { $0.phase = .running(operation) }
    if isCancelled { ThreadRecord.current.cancelBeforeTheyStart([operation]) }
    queue.admit([operation], at: queue.takePlace(1))
  }

  private typealias Ended = (
    attempt: ResultOperation<Success>, result: Result<Success, any Error>, number: Int
  )

  /// The queue has become empty: the operation of an attempt has left it.
  private func attemptEnded() {
    // The queue becomes empty in any phase where others add to it, and may not be any more.
    let ended = inner.withLock { state -> Ended? in
      guard case .running(let operation) = state.phase, let result = operation.result,
        state.members?.isEmptyForGood == true
      else { return nil }
      state.phase = .idle
      // The attempt goes after the lock: what dies with it is the user's, and may ask this retry.
      return (operation, result, state.attempts)
    }
    guard let (_, result, number) = ended else { return }
    guard case .failure(let error) = result, number < policy.attempts, !isCancelled,
      policy.retries(error)
    else { return conclude(with: result) }
    let wait = policy.wait(afterAttempt: number)
    // So does the older failure.
    _ = inner.withLock { state in
      if wait > .zero {
        let end = MonotonicTime.deadline(after: wait)
        // Under the lock: the end of the wait finds the phase.
        state.phase = .waiting(Deadlines.shared.schedule(at: end) { self.waitEnded() })
      }
      return exchange(&state.failure, with: result)
    }
    guard wait > .zero else { return attempt() }
    // A cancellation before the phase was set has found nothing to end.
    if isCancelled { cancelWait() }
  }

  private func waitEnded() {
    let members = inner.withLock { state -> OperationQueue? in
      guard case .waiting = state.phase else { return nil }
      state.phase = .idle
      return state.members
    }
    // The closure that makes the operation is the user's: it runs on a worker.
    guard let queue = members else { return }
    let job = ClosureJob.make(band: band) {
      ThreadRecord.current.asPart(of: queue.role.owner) { self.attempt() }
    }
    queue.scheduler.submit(JobChain(job))
  }

  var membersLeft: LeftToDo {
    if case .waiting = inner.withLock({ $0.phase }) { return .attempt }
    return membersInQueue
  }

  var innerQueue: OperationQueue? { inner.withLock { $0.members } }

  // MARK: The end

  func membersToCancel() -> [Operation] {
    if case .running(let operation) = inner.withLock({ $0.phase }) { [operation] } else { [] }
  }

  override func cancelledWhileExecuting() { cancelWait() }

  /// Between two attempts: ends with what the last one failed with.
  private func cancelWait() {
    let (failure, ticket) = inner.withLock {
      state -> (Result<Success, any Error>?, Deadlines.Ticket?) in
      guard case .waiting(let ticket) = state.phase else { return (nil, nil) }
      state.phase = .idle
      return (state.failure, ticket)
    }
    if let ticket { Deadlines.shared.cancel(ticket) }
    if let failure { conclude(with: failure) }
  }

  private func conclude(with result: Result<Success, any Error>) {
    letGo()
    end(with: result)
  }

  /// Breaks the circle with the queue of the attempts.
  private func letGo() {
    // They go after the lock.
    _ = inner.withLock { state in
      state.phase = .idle
      return (state.make.take(), state.members.take(), state.failure.take())
    }
  }
}
