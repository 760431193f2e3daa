// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// An operation that runs closures and is finished when all have returned (contract 74).
open class BlockOperation: Operation, @unchecked Sendable {
  /// The first closure, but in subclasses; guarded by the edit lock until the operation starts, the
  /// runner's from then on.
  private nonisolated(unsafe) final var block: (@Sendable () -> Void)?

  /// An operation without closures, which finishes normally.
  public override init() {
    unsafe block = nil
    super.init()
    setInitialState(of: BlockOperation.self)
  }

  /// An operation that runs `block`.
  ///
  /// A subclass that overrides `init()` inherits it, as on Foundation.
  public convenience init(block: consuming @escaping @Sendable () -> Void) {
    self.init(retainsFinishedDependencies: true, block: consume block)
  }

  /// An operation that runs `block` and lets go of its dependencies when it finishes if `retains`
  /// is false.
  ///
  /// Cheaper than setting `retainsFinishedDependencies` afterwards.
  public convenience init(
    retainsFinishedDependencies retains: Bool, block: consuming @escaping @Sendable () -> Void
  ) {
    self.init()
    take(consume block)
    guard !retains else { return }
    // What the initialiser of a subclass has done with the object nobody knows.
    if type(of: self) == BlockOperation.self {
      setInitialState(of: BlockOperation.self, 0)
    } else {
      retainsFinishedDependencies = false
    }
  }

  /// Keeps the first closure of a new operation.
  ///
  /// In a subclass it stands with the others, since its `main()` may not come to it: so that
  /// whoever finishes the operation can let go of all.
  @inline(__always)
  private final func take(_ block: consuming @escaping @Sendable () -> Void) {
    if type(of: self) == BlockOperation.self {
      unsafe self.block = consume block
    } else {
      do { try tryAddExecutionBlock(block) } catch { error.fault("init(block:)") }
    }
  }

  /// A barrier of a queue.
  static func barrier(_ block: @escaping @Sendable () -> Void) -> BlockOperation {
    BlockOperation(flags: StateBit.barrier | StateBit.registered, block: block)
  }

  private convenience init(flags: UInt32, block: (@Sendable () -> Void)?) {
    self.init()
    if let block { take(block) }
    setInitialState(of: BlockOperation.self, flags)
  }

  /// The object that stands for a closure in a queue; see `OperationHandle.operation`.
  convenience init(
    facadeOf node: UInt, slot: UInt, flags: UInt32, body: (@Sendable () -> Void)?
  ) {
    self.init(flags: flags, block: body)
    coldTableMade().closureNode = node
    // relaxed: published with the node's lock bit.
    membership.store(slot, ordering: .relaxed)
  }

  /// An operation that has finished without running anything.
  static func finished() -> BlockOperation {
    let operation = BlockOperation()
    operation.start()
    return operation
  }

  /// How several closures of one operation run.
  public enum Execution: Sendable {
    /// Several at a time, as far as the scheduler has workers; their order is left open.
    case concurrent
    /// One after another, in insertion order, as on Foundation for Linux.
    case serial
  }

  /// How several closures run: `concurrent` by default (contract 75, 76).
  ///
  /// Takes effect if set before the operation starts. Whatever it says, they run one after another
  /// on the calling thread after a manual `start()`, on a scheduler with one worker, and in
  /// subclasses.
  public final var execution: Execution {
    get { withColdTable { $0.runsSerially } ?? false ? .serial : .concurrent }
    set {
      guard newValue == .serial || hasColdTable else { return }
      withColdTableMade { $0.runsSerially = newValue == .serial }
    }
  }

  /// Runs the closures; only the first call finds them (contract 10).
  ///
  /// They count as one operation against the queue's limit; further workers of the scheduler help
  /// while they have nothing better to do, and the last closure to return finishes the operation.
  open override func main() {
    var blocks = takeBlocks(asRunner: false)
    // Each goes when it has run.
    while let block = blocks.popLast() { block() }
  }

  override final func runBody() {
    // relaxed: whoever added further closures did so before the begin, which this thread has made.
    guard state.load(ordering: .relaxed) & StateBit.coldStart != 0 else {
      if let first = takeBlock() { first() }
      return
    }
    var blocks = takeBlocks(asRunner: true)
    if blocks.count > 1, let queue = queueForHandingOut {
      let fan = ClosureFan(lastFirst: blocks, of: self, in: queue)
      // A helper may return last: nothing here may keep the captures until then.
      blocks = []
      fan.runAll()
    } else {
      // Each goes when it has run.
      while let block = blocks.popLast() { block() }
    }
  }

  /// Moves the closures out, the last one first; none when the runner has them and another asks.
  private final func takeBlocks(asRunner isRunner: Bool) -> [@Sendable () -> Void] {
    let table = coldTable
    var first: (@Sendable () -> Void)?
    var blocks: [@Sendable () -> Void] = []
    let bits = lockState()
    // The runner of a built-in operation that has begun need not lock.
    let runners = StateBit.builtIn | StateBit.started
    if isRunner || bits & runners != runners {
      (first, unsafe block) = (unsafe block, nil)
      blocks = table?.moreBlocks.take() ?? []
    }
    unlockState(bits)
    blocks.reverse()
    if let first { blocks.append(first) }
    return blocks
  }

  /// The queue whose workers may help with the closures; nil when they run here, one after another.
  private final var queueForHandingOut: OperationQueue? {
    // relaxed: never changes after the start.
    guard state.load(ordering: .relaxed) & StateBit.builtIn != 0, let queue = queueOfBody,
      queue.scheduler.workerCount > 1, execution == .concurrent
    else { return nil }
    return queue
  }

  override final func skipBody() {
    // A subclass has them all in the cold table.
    if isBuiltIn { _ = takeBlock() }
    _ = withColdTable { $0.moreBlocks.take() }
  }

  /// Moves the first closure out, so that its captures die with the operation's end (contract 74).
  @inline(__always) private final func takeBlock() -> (@Sendable () -> Void)? {
    // SAFETY: the place is initialised again before anybody can look; after `begin` it is the
    // runner's.
    unsafe withUnsafeMutablePointer(to: &block) { place in
      let block = unsafe place.move()
      unsafe place.initialize(to: nil)
      return block
    }
  }

  /// Adds a closure; stops the process once the operation has started (contract 78).
  open func addExecutionBlock(_ block: @escaping @Sendable () -> Void) {
    do { try tryAddExecutionBlock(block) } catch { error.fault("addExecutionBlock(_:)") }
  }

  /// As `addExecutionBlock(_:)`, but throws `alreadyExecuting` or `alreadyFinished`.
  public final func tryAddExecutionBlock(
    _ block: @escaping @Sendable () -> Void
  ) throws(OperationError) {
    let table = coldTableMade()
    let bits = lockState()
    let isStarted = bits & StateBit.started != 0
    if !isStarted {
      if table.moreBlocks == nil { table.moreBlocks = [] }
      table.moreBlocks?.append(block)
    }
    unlockState(isStarted ? bits : StateChange.needColdStart(bits))
    if isStarted { throw lateEditError }
  }

  /// The closures in insertion order; empty once the operation has started.
  open var executionBlocks: [@Sendable () -> Void] {
    let table = coldTable
    return underLock { bits in
      guard bits & StateBit.started == 0 else { return [] }
      return (unsafe block.map { [$0] } ?? []) + (table?.moreBlocks ?? [])
    }
  }
}
