// SPDX-License-Identifier: Apache-2.0

/// An operation that computes a value or fails with an error (contract 79–81).
///
/// The body is a throwing closure, synchronous or not. `result` is nil until the operation has finished; a dependent
/// reads it then, or has it passed in with `addDependency(on:inject:)`.
public class ResultOperation<Success: Sendable>: Operation, @unchecked Sendable {
  private enum Body {
    case call(@Sendable () throws -> Success)
    case task(@Sendable () async throws -> Success)
  }

  /// The adder's until the operation starts, the runner's from then on.
  private nonisolated(unsafe) final var body: Body?
  /// Written once before the operation is finished, read by others after it: edge Finished orders the two.
  private nonisolated(unsafe) final var ending: Result<Success, any Error>?

  /// An operation that runs `body` on one worker.
  public init(_ body: @escaping @Sendable () throws -> Success) {
    unsafe self.body = .call(body)
    super.init()
    markStock(ResultOperation<Success>.self)
  }

  /// An operation that runs `body` as a task on the queue's scheduler.
  ///
  /// `cancel()` cancels the task; see `AsyncOperation.init(body:)` for where it runs.
  public init(_ body: @escaping @Sendable () async throws -> Success) {
    unsafe self.body = .task(body)
    super.init()
    markStock(ResultOperation<Success>.self, StateBit.asynchronousClass)
  }

  /// An operation that depends on `source` and computes with its value.
  ///
  /// When `source` has failed or was cancelled, `body` does not run and this operation fails with the same error.
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
  /// `OperationError.cancelled` when it was cancelled before it began; a body that ran to its end although the operation
  /// was cancelled midway keeps its own result.
  public final var result: Result<Success, any Error>? {
    guard isSealed else { return nil }
    return unsafe ending ?? .failure(OperationError.cancelled(self))
  }

  /// The value.
  ///
  /// Throws the body's error, `OperationError.cancelled` when the operation was cancelled before it began, or
  /// `OperationError.notFinished` when it has not finished.
  public final func value() throws -> Success {
    guard let result else { throw OperationError.notFinished(self) }
    return try result.get()
  }

  override final var failure: (any Error)? {
    guard case .failure(let error)? = result else { return nil }
    return error
  }

  // MARK: The body

  public override func main() {
    switch unsafe body {
    case .call?: if case .call(let body)? = takeBody() { unsafe ending = Result(catching: body) }
    case .task?: runTask { [self] in finishTask(await runBody()) }
    case nil:
      // Values could not be passed in, so there is an ending already.
      if isAsynchronous { finishFromAnywhere() }
    }
  }

  /// Returns how the body ends; the closure and what it captures are gone then.
  private final func runBody() async -> Result<Success, any Error> {
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
    unsafe self.ending = ending
    finishFromAnywhere()
  }

  override func skipMain() { _ = takeBody() }

  override func injectionFailed(_ error: any Error) {
    _ = takeBody()
    unsafe ending = .failure(error)
  }

  /// Whether a value could not be passed in, so that `main()` must only finish.
  final var hasEnding: Bool { unsafe ending != nil }

  override func cancelledWhileExecuting() { cancelTask() }

  private final func takeBody() -> Body? {
    defer { unsafe body = nil }
    return unsafe body
  }
}
