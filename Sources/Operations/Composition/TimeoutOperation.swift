// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives

/// Runs another operation and fails when that has not finished in time.
///
/// The time counts from the start of this operation. When it is up and the other operation has not
/// finished, that is cancelled and this one finishes with `OperationError.timedOut` when what the
/// cancellation calls has returned (cancel hooks; on the inline scheduler also what becomes ready
/// by it), on a thread of the process-wide deadlines. It does not wait for work that takes no
/// notice of its cancellation, and that work may still go on while dependents start. No thread
/// waits for the time. Cancelling this operation cancels the other one, whose ending is then this
/// one's.
public final class TimeoutOperation<Success: Sendable>: ResultOperation<Success>, Composite,
  @unchecked Sendable
{
  private struct State: Sendable {
    /// Nil when the end is settled, and it is cancelled if that was the deadline.
    var operation: Operation?
    var ticket: Deadlines.Ticket?
    /// From the start until the end is settled.
    var members: OperationQueue?
  }

  /// How long the operation may take.
  public let limit: Duration
  private let inner: Locked<State>
  private let read: @Sendable (Operation) -> Result<Success, any Error>

  /// Runs `operation`, which must be in no queue or group, for at most `limit` and takes its result
  /// over.
  public convenience init(_ operation: ResultOperation<Success>, within limit: Duration) {
    self.init(of: operation, within: limit) { operation in
      (operation as? ResultOperation<Success>)?.result
        ?? .failure(OperationError.notFinished(operation))
    }
  }

  /// Runs an operation without a result; it succeeds when it finishes in time, neither cancelled
  /// nor failed.
  public convenience init(_ operation: Operation, within limit: Duration) where Success == Void {
    self.init(of: operation, within: limit) { operation in
      if let error = operation.failure { return .failure(error) }
      return operation.isCancelled
        ? .failure(OperationError.cancelled(operation)) : .success(())
    }
  }

  private init(
    of operation: Operation, within limit: Duration,
    read: @escaping @Sendable (Operation) -> Result<Success, any Error>
  ) {
    self.limit = limit
    self.read = read
    inner = Locked(State(operation: operation))
    super.init(withoutBody: ())
    setInitialState(of: TimeoutOperation<Success>.self, StateBit.selfEndingClass)
    if let failure = operation.claimFailure() {
      failure.fault("making a TimeoutOperation")
    }
    operation.reserve(for: self)
  }

  deinit {
    guard let operation = inner.withLock({ $0.operation.take() }) else { return }
    operation.giveUpClaim()
    ThreadRecord.current.dispose(of: consume operation)
  }

  /// Starts the other operation; only the first call does (contract 10).
  public override func main() { if claim.take() { open(skipping: hasEnding) } }

  override func skipBody() { if claim.take() { open(skipping: true) } }

  private func open(skipping isSkipped: Bool) {
    guard let operation = inner.withLock({ $0.operation }) else { return }
    let queue = OperationQueue(innerOf: self, mayEndFirst: true) { self.close() }
    inner.withLock { state in
      state.members = queue
      if isSkipped { return }
      let deadline = MonotonicTime.deadline(after: limit)
      // Under the lock: the end of the time finds the members.
      state.ticket = Deadlines.shared.schedule(at: deadline) { self.expire() }
    }
    if isSkipped || isCancelled { ThreadRecord.current.cancelBeforeTheyStart([operation]) }
    queue.admit([operation])
  }

  /// The other operation has left its queue.
  private func close() {
    guard let (operation, ticket, _) = settle() else { return }
    letGo()
    if let ticket { Deadlines.shared.cancel(ticket) }
    ThreadRecord.current.asPart(of: Owner(operation: word, queue: queueIfMember)) {
      if hasEnding { finishFromAnywhere() } else { end(with: read(operation)) }
    }
  }

  /// The time is up.
  private func expire() {
    guard let (operation, _, _) = settle() else { return }
    // What others have added to its queue may have outlasted it. Under the lock: a mark that comes
    // before the seal is seen.
    let isInTime = operation.underLock { _ in operation.isSealed }
    // Before it is let go of: until it is marked a canceller has to find it.
    ThreadRecord.current.cancelMembers(of: self)
    letGo()
    end(
      with: isInTime
        ? read(operation) : .failure(OperationError.timedOut(operation, after: limit)))
  }

  /// The first one to settle the end gets the operation.
  private func settle() -> (Operation, Deadlines.Ticket?, OperationQueue)? {
    // The queue goes after the lock: its end lets go of who observes it.
    inner.withLock { state in
      guard let members = state.members.take(), let operation = state.operation else { return nil }
      return (operation, state.ticket.take(), members)
    }
  }

  /// Whoever has settled the end lets go of the operation.
  private func letGo() { _ = inner.withLock { $0.operation.take() } }

  var innerQueue: OperationQueue? { inner.withLock { $0.members } }

  func membersToCancel() -> [Operation] {
    inner.withLock { $0.operation.map { [$0] } ?? [] }
  }
}
