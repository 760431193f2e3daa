// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// An operation whose work goes on after `main()` has returned, until `finish()` is called
/// (contract 65–70).
///
/// Subclasses override `main()` to begin the work, or a closure is passed. The operation keeps its
/// place in the queue, its slot and its dependents' block until it has finished. A cancelled one
/// that has not begun finishes by itself; one that executes is told through `didCancel()` and must
/// still call `finish()`, unless `finishOnCancel` is set.
open class AsyncOperation: Operation, @unchecked Sendable {
  /// When `start()` returned before the operation had finished, ns of the monotonic clock; else 0.
  fileprivate final let bodyReturnTime = Atomic<UInt64>(0)

  private enum Body {
    case callback(@Sendable (AsyncOperation) -> Void)
    case task(@Sendable () async throws -> Void)
  }

  private final let claim = BodyClaim()
  /// Of whoever has claimed it.
  private nonisolated(unsafe) final var body: Body?

  /// An asynchronous operation in no queue, whose class overrides `main()`.
  public override init() {
    unsafe body = nil
    super.init()
    setInitialState(of: AsyncOperation.self, StateBit.asynchronousClass)
  }

  /// An operation that runs `body`, which begins the work, and finishes when somebody calls
  /// `finish()`.
  ///
  /// Both closures get the operation, so that they need not capture it, and are released when it
  /// has finished. `onCancel` is called as `didCancel()` is.
  public init(
    onCancel: (@Sendable (AsyncOperation) -> Void)? = nil,
    body: @escaping @Sendable (AsyncOperation) -> Void
  ) {
    unsafe self.body = .callback(body)
    super.init()
    setInitialState(of: AsyncOperation.self, StateBit.asynchronousClass)
    guard let onCancel else { return }
    coldTableMade().cancelHandler = { [unowned self] in onCancel(self) }
  }

  /// An operation that runs `body` as a task on the queue's scheduler and finishes when that
  /// returns or throws (contract 72).
  ///
  /// `cancel()` cancels the task. While the body is suspended it holds no worker, but keeps the
  /// operation's slot. In a queue every part of it runs on a worker of the queue's scheduler; after
  /// a manual `start()` and on the inline scheduler, on whichever thread starts or resumes it. The
  /// closure is released when it has ended; `error` then tells what it threw.
  public init(body: @escaping @Sendable () async throws -> Void) {
    unsafe self.body = .task(body)
    super.init()
    setInitialState(of: AsyncOperation.self, StateBit.asynchronousClass)
  }

  deinit {
    // It never ran; what the closure captures may be other operations of its kind.
    if case .some = unsafe body { ThreadRecord.current.dispose(of: takeBody() as Any) }
  }

  // MARK: The body

  /// Begins the work that was passed at creation; only the first call does (contract 10).
  open override func main() {
    guard claim.take() else { return }
    switch unsafe body {
    case .callback?: if case .callback(let body)? = takeBody() { body(self) }
    case .task?: runTask { [self] in finishTask(await errorOfTask()) }
    case nil: break
    }
  }

  /// Returns the error that the body ends with; the closure and what it captures are gone then.
  private final func errorOfTask() async -> (any Error)? {
    guard case .task(let body)? = takeBody() else { return nil }
    do {
      try await body()
      return nil
    } catch {
      return error
    }
  }

  private final func finishTask(_ failure: (any Error)?) {
    dropTask()
    // Finished by the cancellation already: that is no mistake of anybody's.
    guard !isSealed else { return }
    if let failure { finish(throwing: failure) } else { finish() }
  }

  override final func skipBody() {
    if claim.take() { _ = takeBody() } else { cancelTask() }
    dropCancelHandler()
  }

  private final func takeBody() -> Body? {
    defer { unsafe body = nil }
    return unsafe body
  }

  // MARK: Finishing

  /// Ends the operation; any thread, from inside `main()` or later.
  ///
  /// A second call changes nothing and is counted. Before its queue has started it, the operation
  /// finishes and leaves the queue at once, whatever it waits for, and a warning on stderr names
  /// it; in no queue it finishes when it is queued or started. Its body does not run in either case
  /// (contract 66, 69). It waits for an addition of the operation that is under way on another
  /// thread, overrides of `cancel()` that this calls included.
  public final func finish() {
    finishFromAnywhere()
    if hasColdTable, isSealed { dropCancelHandler() }
  }

  /// Ends the operation as `finish()` does, with `error` as the reason; the first of several
  /// counts.
  public final func finish(throwing error: any Error) {
    let table = coldTableMade()
    let bits = lockState()
    // A `finish()` before the start has counted already. Not sealed here: who looks for the error
    // comes after the finisher, which finds the lock, and waits.
    if bits & StateBit.finishRequested == 0, table.error == nil, !isSealedForEditor {
      table.error = error
    }
    unlockState(bits)
    finish()
  }

  /// The error with which the work ended; nil before the operation has finished and when it
  /// succeeded.
  public final var error: (any Error)? { isSealed ? withColdTable { $0.error } ?? nil : nil }

  /// How often `finish()` was called after the call that counts.
  public final var surplusFinishCount: Int { withColdTable { $0.surplusFinishes } ?? 0 }

  override final var failure: (any Error)? { error }

  // MARK: Cancelling

  /// The operation was cancelled while it executed: make the work end, and `finish()` be called.
  ///
  /// Called at most once, on the thread that cancels, with no lock held, and only if `main()` had
  /// begun; the work may end at the same moment on another thread. When the cancellation comes
  /// between the beginning of the operation and that of `main()`, it is called on the thread of
  /// `main()` when that has returned, unless the operation has finished by then. Does nothing by
  /// default; an override does not call `super` (contract 70, 71).
  open func didCancel() {}

  /// Whether `cancel()` itself finishes the operation when it executes; false by default.
  ///
  /// For work that cannot be called back and would never call `finish()` again. Dependents may then
  /// start while the work still goes on.
  public final var finishOnCancel: Bool {
    get { withColdTable { $0.finishesOnCancel } ?? false }
    set { withColdTableMade { $0.finishesOnCancel = newValue } }
  }

  override final func cancelledWhileExecuting() {
    cancelTask()
    if hasColdTable { (withColdTable { $0.cancelHandler.take() } ?? nil)?() }
    didCancel()
    if finishOnCancel { finish() }
  }

  private final func dropCancelHandler() { _ = withColdTable { $0.cancelHandler.take() } }
}

extension Operation {
  /// When `start()` returned before the operation had finished, ns of the monotonic clock; nil if
  /// it has not.
  final var bodyReturned: UInt64? {
    // relaxed: for diagnosis.
    let own = (self as? AsyncOperation)?.bodyReturnTime.load(ordering: .relaxed)
    let time = own ?? withColdTable { $0.bodyReturned } ?? 0
    return time == 0 ? nil : time
  }

  /// Notes that `start()` has returned and the operation goes on.
  final func noteBodyReturned() {
    let now = MonotonicTime.nanoseconds()
    if let operation = self as? AsyncOperation {
      operation.bodyReturnTime.store(now, ordering: .relaxed)  // relaxed: as above.
    } else {
      withColdTableMade { $0.bodyReturned = now }
    }
  }
}
