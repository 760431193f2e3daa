// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// An operation made of other operations: finished when all its members and its own body are.
///
/// Members run on the scheduler of the queue that runs the group, within a limit of their own, and
/// no worker waits for them. They may be added before the group starts and while it executes, also
/// by its body and by members. A member may be a group. Cancelling the group cancels its members; a
/// group that is cancelled before it begins finishes when they have finished without running. Page:
/// Composition.md.
open class GroupOperation: Operation, Composite, @unchecked Sendable {
  private struct State: Sendable {
    /// Claimed members that are not in the queue yet: those of a group that has not started.
    var pending: [Operation] = []
    /// Runs the members, from the start to the end.
    var members: OperationQueue?
    var isOver = false
    var limit = OperationQueue.defaultMaxConcurrentOperationCount
    var isSuspended = false
    /// All members, when their errors are asked for, until the end.
    var kept: [Operation] = []
    var errors: [any Error] = []
  }

  private final let inner = Locked(State())
  private final let collectsErrors: Bool
  private final let claim = BodyClaim()
  /// Of whoever has claimed it.
  private nonisolated(unsafe) final var closure: (@Sendable (GroupOperation) -> Void)?

  /// A group of `operations`, which must be in no queue or group yet.
  ///
  /// - Parameters:
  ///   - operations: the first members.
  ///   - collectsErrors: whether `errors` tells how members failed; members are kept until the
  ///     group has finished then.
  ///   - body: runs on the group's own worker while the members run, and may add more; nil for
  ///     none.
  public init(
    _ operations: [Operation] = [], collectsErrors: Bool = false,
    body: (@Sendable (GroupOperation) -> Void)? = nil
  ) {
    self.collectsErrors = collectsErrors
    unsafe closure = body
    super.init()
    setInitialState(of: GroupOperation.self, StateBit.selfEndingClass)
    if !operations.isEmpty { addOperations(operations) }
  }

  deinit {
    let pending = inner.withLock { exchange(&$0.pending, with: []) }
    if pending.isEmpty { return }
    for operation in pending { operation.giveUpClaim() }
    ThreadRecord.current.dispose(of: consume pending)
  }

  // MARK: The body

  /// The group's own work; runs the closure that was passed at creation.
  ///
  /// Called once, on the worker that starts the group, when its first members are with the
  /// scheduler. An override need not call `super`.
  open func body() {
    let closure = unsafe self.closure
    unsafe self.closure = nil
    closure?(self)
  }

  /// Starts the members and runs the body; only the first call does (contract 10).
  public override final func main() { if claim.take() { open(skipping: false) } }

  override final func skipBody() {
    // Else somebody has opened it already, and it ends when its members have.
    guard claim.take() else { return }
    unsafe closure = nil
    open(skipping: true)
  }

  /// Starts the members; the group finishes when the last of them and the body have.
  private final func open(skipping isSkipped: Bool) {
    let queue = OperationQueue(innerOf: self) { self.close() }
    // The body's own place in the count: the queue is not empty before it has returned.
    _ = queue.addMembers(1)
    let pending = inner.withLock { state in
      queue.maxConcurrentOperationCount = state.limit
      queue.isSuspended = state.isSuspended
      state.members = queue
      // A cancellation that comes later finds the queue.
      if isSkipped || isMarkedCancelled { queue.cancelNewcomers() }
      return state.pending
    }
    queue.admit(pending)
    // Until here a cancellation had to find them.
    _ = inner.withLock { exchange(&$0.pending, with: []) }
    if !isSkipped { body() }
    queue.subtract(1)
  }

  /// The members' queue has become empty.
  private final func close() {
    // Their queue goes after the lock: its end lets go of who observes it.
    let (wasOver, kept, _) = inner.withLock { state in
      (exchange(&state.isOver, with: true), exchange(&state.kept, with: []), state.members.take())
    }
    if wasOver { return }
    let errors = kept.compactMap(\.failure)
    if !errors.isEmpty { inner.withLock { $0.errors = errors } }
    finishFromAnywhere()
  }

  // MARK: Members

  /// Adds a member; from anywhere, until the group has finished.
  ///
  /// An operation that is executing, finished, in a queue or in a group, or a group that has
  /// finished, stops the process; `tryAddOperation(_:)` throws instead.
  public final func addOperation(_ operation: Operation) { addOperations([operation]) }

  /// Adds a closure as a member.
  @discardableResult
  public final func addOperation(_ block: @escaping @Sendable () -> Void) -> BlockOperation {
    let operation = BlockOperation(block: block)
    addOperation(operation)
    return operation
  }

  /// As `addOperation(_:)`, but throws `alreadyQueued`, `alreadyExecuting` or `alreadyFinished`;
  /// the last one also for a group that has finished.
  public final func tryAddOperation(_ operation: Operation) throws(OperationError) {
    try tryAddOperations([operation])
  }

  /// Adds all operations in one step, or stops the process.
  public final func addOperations(_ operations: [Operation]) {
    do { try tryAddOperations(operations) } catch {
      error.fault("adding members to \(diagnosis)")
    }
  }

  /// Adds all operations in one step, or throws and adds none.
  public final func tryAddOperations(_ operations: [Operation]) throws(OperationError) {
    guard !operations.isEmpty else { return }
    try OperationWords.claim(operations)
    var place: (queue: OperationQueue, place: SubmissionPlace)?
    let isOver = inner.withLock { state in
      if state.isOver { return true }
      if let queue = state.members {
        guard let old = queue.joinMembers(operations.count) else { return true }
        place = (queue, queue.takePlace(operations.count, countedAt: old))
      } else {
        for operation in operations { operation.reserve(for: self) }
        state.pending += operations
      }
      if collectsErrors { state.kept += operations }
      return false
    }
    guard !isOver else {
      for operation in operations { operation.giveUpClaim() }
      throw .alreadyFinished(self)
    }
    if let place {
      place.queue.admit(operations, at: place.place)
    } else if isMarkedCancelled {
      ThreadRecord.current.cancelBeforeTheyStart(operations)
    }
  }

  /// The members that have not finished, in the order added; a copy.
  public final var operations: [Operation] { members { $0.operations } }

  private final func members(listedBy list: (OperationQueue) -> [Operation]) -> [Operation] {
    let (pending, members) = inner.withLock { ($0.pending, $0.members) }
    let listed = members.map(list) ?? []
    guard !pending.isEmpty else { return listed }
    // Those that the start is adding are in both.
    let added = Set(listed.map(ObjectIdentifier.init))
    return pending.filter { !$0.isSealed && !added.contains(ObjectIdentifier($0)) } + listed
  }

  /// A setting as the members' queue has it, else as it was set for that.
  private final func settings<Value>(
    _ now: (OperationQueue) -> Value, or before: (State) -> Value
  ) -> Value {
    let (members, value) = inner.withLock { ($0.members, before($0)) }
    return members.map(now) ?? value
  }

  /// Sets it for later; returns the members' queue, to which it belongs once there is one.
  private final func set<Value>(
    _ setting: WritableKeyPath<State, Value>, to value: Value
  ) -> OperationQueue? {
    inner.withLock { state in
      state[keyPath: setting] = value
      return state.members
    }
  }

  /// How many members may execute at a time; as the property of `OperationQueue`.
  public final var maxConcurrentOperationCount: Int {
    get { settings(\.maxConcurrentOperationCount, or: \.limit) }
    set {
      guard OperationQueue.isLegal(limit: newValue) else {
        OperationError.invalidLimit(newValue).fault("setting the limit of \(diagnosis)")
      }
      set(\.limit, to: newValue)?.maxConcurrentOperationCount = newValue
    }
  }

  /// While true no member starts; a suspended group does not finish before its members have.
  public final var isSuspended: Bool {
    get { settings(\.isSuspended, or: \.isSuspended) }
    set { set(\.isSuspended, to: newValue)?.isSuspended = newValue }
  }

  /// What members failed with, in the order in which they were added; empty until the group has
  /// finished.
  ///
  /// Only when `collectsErrors` was set. Operations with results and asynchronous ones know errors;
  /// nested groups count by their first one.
  public final var errors: [any Error] { isSealed ? inner.withLock { $0.errors } : [] }

  override final var failure: (any Error)? { errors.first }

  final var membersLeft: LeftToDo { .members(members { $0.membersForDiagnosis() }) }

  final var innerQueue: OperationQueue? { inner.withLock { $0.members } }

  /// Also of a group that has not started.
  final func letMembersGo() {
    if maxConcurrentOperationCount == 0 { maxConcurrentOperationCount = 1 }
    isSuspended = false
  }

  final func membersToCancel() -> [Operation] {
    let (pending, members) = inner.withLock { ($0.pending, $0.members) }
    guard let members else { return pending }
    members.cancelNewcomers()
    // A closure is listed once it is open, which is after its adder has had the lock: see
    // Composition.md.
    return pending + members.registry.operationsLeftToCancel(in: members, waiting: true)
  }
}
