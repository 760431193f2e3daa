// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import Scheduling
import Synchronization

/// Stands for a closure added to a queue: two words, no object, free to copy and drop.
///
/// Any thread. A handle never keeps its closure alive; once the closure has finished it only says
/// so.
public struct OperationHandle: Sendable, Hashable {
  let node: UInt
  let generation: UInt64

  init(node: UInt, generation: UInt64) {
    self.node = node
    self.generation = generation
  }

  private var pointer: UnsafeMutablePointer<ClosureNode> {
    // SAFETY: cells are never freed.
    unsafe .at(node)
  }

  /// The handle of the closure that `node` stands for now, or nil when it stands for none.
  static func live(node: UInt) -> OperationHandle? {
    let handle = OperationHandle(node: node, generation: 0)
    // acquire, edge NodeOpened.
    let word = unsafe handle.pointer.pointee.state.load(ordering: .acquiring)
    guard word & ClosureNode.live != 0 else { return nil }
    return OperationHandle(node: node, generation: word >> ClosureNode.generationShift)
  }

  /// The cell with this word stands for the closure.
  private func isMeant(by word: UInt64) -> Bool {
    word >> ClosureNode.generationShift == generation && word & ClosureNode.live != 0
  }

  /// Runs `body` with the node's lock bit held and its flags; nil when the closure has finished and
  /// left.
  private func locked<Value>(
    _ body: (UnsafeMutablePointer<ClosureNode>, inout UInt64) -> Value
  ) -> Value? {
    let before = unsafe ClosureNode.change(pointer) { word in
      guard isMeant(by: word) else { return nil }
      let isRunning = word & ClosureNode.started != 0
      return word | ClosureNode.lock | (isRunning ? ClosureNode.watched : 0)
    }
    guard isMeant(by: before) else { return nil }
    var flags = before
    if before & (ClosureNode.started | ClosureNode.watched) == ClosureNode.started {
      flags |= ClosureNode.watched
      ClosureNode.awaitRetiring(node)
      // acquire, edge NodeState: the runner that did not see the bits has overwritten them.
      guard isMeant(by: unsafe pointer.pointee.state.load(ordering: .acquiring)) else { return nil }
    }
    let value = unsafe body(pointer, &flags)
    shim_keep_order()
    // release, edge NodeState: gives the lock bit up with the new flags.
    unsafe pointer.pointee.state.store(flags, ordering: .releasing)
    return value
  }

  /// True once the closure has returned or was skipped because it had been cancelled.
  public var isFinished: Bool {
    unsafe locked { node, flags in
      guard flags & ClosureNode.promoted != 0 else { return false }
      return unsafe ClosureNode.facade(node).takeUnretainedValue().isFinished
    } ?? true
  }

  /// True when it was cancelled and has not finished; a finished closure's handle has forgotten.
  public var isCancelled: Bool {
    unsafe locked { node, flags in
      guard flags & ClosureNode.promoted != 0 else { return flags & ClosureNode.cancelled != 0 }
      return unsafe ClosureNode.facade(node).takeUnretainedValue().isCancelled
    } ?? false
  }

  /// As `Operation.cancel()`.
  public func cancel() { cancelUnlessFacade()?.cancel() }

  /// Marks the closure; returns its façade instead, for the caller to cancel, if it has one or must
  /// get one so that it leaves without a slot.
  func cancelUnlessFacade() -> Operation? {
    let facade = unsafe locked { node, flags -> UInt in
      if flags & ClosureNode.promoted == 0 {
        let slot = unsafe node.pointee.membership.load(ordering: .relaxed)  // relaxed: opened after
        // SAFETY: the lock bit holds the finish back, so the queue is there.
        let mayWaitForSlot = unsafe OperationQueue.reference(
          RegistryChunk.queueWord(ofSlot: slot)
        )._withUnsafeGuaranteedRef(\.limitsStarts)
        guard mayWaitForSlot, flags & ClosureNode.started == 0 else {
          if isRecording, flags & ClosureNode.cancelled == 0 {
            EventRings.note(.cancelRequested, self.node)
          }
          flags |= ClosureNode.cancelled
          return 0
        }
        unsafe promote(node, &flags)
      }
      return unsafe Operation.retain(ClosureNode.facadeWord(node))
    }
    return facade.flatMap { Operation.takeRetained($0) }
  }

  /// The operation object that stands for the closure, made on first use and the same until the
  /// closure has left.
  ///
  /// After that: a finished operation that stands for nothing, another one each time; as a
  /// dependency it holds nothing back.
  public var operation: BlockOperation {
    facade ?? BlockOperation.finished()
  }

  /// The façade; nil once the closure has left.
  var facade: BlockOperation? {
    let kept = unsafe locked { node, flags -> UInt in
      if flags & ClosureNode.promoted == 0 { unsafe promote(node, &flags) }
      return unsafe Operation.retain(ClosureNode.facadeWord(node))
    }
    guard let kept, let facade = Operation.takeRetained(kept) else { return nil }
    return unsafe unsafeDowncast(facade, to: BlockOperation.self)
  }

  private func promote(_ node: UnsafeMutablePointer<ClosureNode>, _ flags: inout UInt64) {
    // relaxed: opened after it was written.
    let slot = unsafe node.pointee.membership.load(ordering: .relaxed)
    _ = unsafe ClosureNode.makeFacade(node, slot: slot, nodeFlags: flags)
    flags |= ClosureNode.promoted
  }

  /// Makes `dependent` wait for the closure.
  public func addDependency(to dependent: Operation) { dependent.addDependency(operation) }

  /// As `Operation.waitUntilFinished()`.
  @available(*, noasync, message: "blocks the thread")
  public func waitUntilFinished() { if !isFinished { operation.waitUntilFinished() } }

  /// As `Operation.wait(timeout:)`.
  @available(*, noasync, message: "blocks the thread")
  public func wait(timeout: Duration) -> Bool { isFinished || operation.wait(timeout: timeout) }
}

extension OperationHandle {
  /// A handle of an operation in a queue: of a cell whose façade it is from the beginning.
  ///
  /// When the operation has finished, or is in no queue, the handle is one of a closure that has
  /// left.
  init(of operation: BlockOperation) {
    let node = unsafe ThreadRecord.withCurrent { unsafe $0.nodeCache.take() }
    let table = operation.coldTableMade()
    let bits = operation.lockState()
    // relaxed: the cell is this thread's.
    generation = unsafe node.pointee.state.load(ordering: .relaxed) >> ClosureNode.generationShift
    self.node = UInt(bitPattern: node)
    // The finisher finds the cell when the operation leaves.
    let isMember = !operation.isSealedForEditor && operation.isSubmitted
    if isMember {
      // relaxed: published with the opening.
      unsafe node.pointee.facade.store(operation.word, ordering: .relaxed)
      table.handleNode = self.node
      unsafe ClosureNode.open(node, generation, also: ClosureNode.promoted)
    }
    operation.unlockState(bits)
    if !isMember { operation.retire(self.node, ThreadRecord.current) }
  }
}

extension Operation {
  /// The façade's cell stands for nothing any more.
  ///
  /// After the seal and the last editor who may have missed it: nobody gives the operation a cell
  /// from here on, so a look without the lock finds those that there are.
  final func returnClosureNode(_ record: ThreadRecord) {
    guard lookAtColdTable({ $0.closureNode | $0.handleNode }) ?? 0 != 0 else { return }
    let words = withColdTable { table in
      defer { (table.closureNode, table.handleNode) = (0, 0) }
      return (table.closureNode, table.handleNode)
    }
    guard let words else { return }
    if words.0 != 0 { retire(words.0, record) }
    if words.1 != 0 { retire(words.1, record) }
  }

  fileprivate final func retire(_ cell: UInt, _ record: ThreadRecord) {
    // SAFETY: cells are never freed; this one is the façade's until it is retired here.
    let node = unsafe UnsafeMutablePointer<ClosureNode>.at(cell)
    _ = unsafe ClosureNode.change(node) { ClosureNode.retired($0) }
    unsafe record.nodeCache.give(node)
  }
}
