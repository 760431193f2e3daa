// SPDX-License-Identifier: Apache-2.0

/// An operation that computes a value or fails with an error (contract 79–81).
///
/// The body is a throwing closure, synchronous or not. `result` is nil until the operation has
/// finished; a dependent reads it then, or has it passed in with `addDependency(on:inject:)`.
public class ResultOperation<Success: Sendable>: Operation, @unchecked Sendable {
  private enum Body {
    case call(@Sendable () throws -> Success)
    case task(@Sendable () async throws -> Success)
  }

  final let claim = BodyClaim()
  /// Of whoever has claimed it.
  private nonisolated(unsafe) final var body: Body?
  /// Written under the edit lock before the operation is finished, read by others after it: edge
  /// Finished orders the two.
  private nonisolated(unsafe) final var ending: Result<Success, any Error>?
  /// There is an ending, or there will be none; under the edit lock.
  private nonisolated(unsafe) final var isSettled = false

  /// An operation that runs `body` on one worker.
  public init(_ body: @escaping @Sendable () throws -> Success) {
    unsafe self.body = .call(body)
    super.init()
    setInitialState(of: ResultOperation<Success>.self)
  }

  /// An operation that runs `body` as a task on the queue's scheduler.
  ///
  /// `cancel()` cancels the task; see `AsyncOperation.init(body:)` for where it runs.
  public init(_ body: @escaping @Sendable () async throws -> Success) {
    unsafe self.body = .task(body)
    super.init()
    setInitialState(of: ResultOperation<Success>.self, StateBit.asynchronousClass)
  }

  /// An operation that depends on `source` and computes with its value.
  ///
  /// When `source` has failed or was cancelled, `body` does not run and this operation fails with
  /// the same error.
  public convenience init<Input>(
    from source: ResultOperation<Input>, _ body: @escaping @Sendable (Input) throws -> Success
  ) {
    self.init { try body(source.value()) }
    addDependency(source)
  }

  /// As `init(from:_:)` with a body that runs as a task.
  public convenience init<Input>(
    from source: ResultOperation<Input>,
    _ body: @escaping @Sendable (Input) async throws -> Success
  ) {
    self.init { try await body(source.value()) }
    addDependency(source)
  }

  /// For a class that decides by itself when the operation ends.
  init(withoutBody: Void) {
    unsafe body = nil
    super.init()
  }

  deinit {
    // It never ran; what the closure captures may be other operations of its kind.
    if case .some = unsafe body { ThreadRecord.current.dispose(of: takeBody() as Any) }
  }

  // MARK: The result

  /// How the operation ended; nil until it has finished.
  ///
  /// `OperationError.cancelled` when it was cancelled before it began; a body that ran to its end
  /// although the operation was cancelled midway keeps its own result.
  /// `OperationError.alreadyExecuting` when a call of `main()` by somebody else had the body and
  /// had not returned.
  public final var result: Result<Success, any Error>? {
    guard isSealed else { return nil }
    if let ending = unsafe ending { return ending }
    // acquire, edge EditLock.
    let hasBegun = state.load(ordering: .acquiring) & StateBit.skipped == 0
    return .failure(
      hasBegun ? OperationError.alreadyExecuting(self) : OperationError.cancelled(self))
  }

  /// The value.
  ///
  /// Throws the body's error, `OperationError.cancelled` when the operation was cancelled before it
  /// began, or `OperationError.notFinished` when it has not finished.
  public final func value() throws -> Success {
    guard let result else { throw OperationError.notFinished(self) }
    return try result.get()
  }

  override final var failure: (any Error)? {
    guard case .failure(let error)? = result else { return nil }
    return error
  }

  // MARK: The body

  /// Runs the body; only the first call does (contract 10).
  public override func main() { if claim.take() { runClaimedBody() } }

  override final func runBody() {
    // Somebody else runs the body, and this operation does not wait for him.
    if claim.take() { runClaimedBody() } else { settle(nil) }
  }

  private final func runClaimedBody() {
    guard !hasEnding else {
      // Values could not be passed in.
      _ = takeBody()
      if isAsynchronous { finishFromAnywhere() }
      return
    }
    switch unsafe body {
    case .call?: if case .call(let body)? = takeBody() { settle(Result(catching: body)) }
    case .task?: runTask { [self] in finishTask(await resultOfTask()) }
    case nil: break
    }
  }

  /// Returns how the body ends; the closure and what it captures are gone then.
  private final func resultOfTask() async -> Result<Success, any Error> {
    guard case .task(let body)? = takeBody() else {
      return .failure(OperationError.cancelled(self))
    }
    do { return .success(try await body()) } catch { return .failure(error) }
  }

  private final func finishTask(_ ending: Result<Success, any Error>) {
    dropTask()
    end(with: ending)
  }

  /// Finishes an asynchronous operation; its owner calls it once.
  final func end(with ending: Result<Success, any Error>) {
    settle(ending)
    finishFromAnywhere()
  }

  /// Settles how the operation ends, unless that is settled: its runner is about to finish it.
  ///
  /// Without the lock a body that somebody else runs could end while the operation is finished and
  /// its result read.
  final func settle(_ ending: Result<Success, any Error>?) {
    let bits = lockState()
    if unsafe !isSettled { unsafe self.ending = ending }
    unsafe isSettled = true
    unlockState(bits)
  }

  override func skipBody() {
    if claim.take() { _ = takeBody() } else { cancelTask() }
    settle(nil)
  }

  /// Whether a value could not be passed in, so that `main()` must only finish.
  final var hasEnding: Bool { underLock { _ in unsafe ending != nil } }

  override func cancelledWhileExecuting() { cancelTask() }

  private final func takeBody() -> Body? {
    defer { unsafe body = nil }
    return unsafe body
  }
}
