// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// A closure added to a queue: one recycled cell that is job, member and state at once.
///
/// Cells are never returned to the allocator, so that an old handle may always read the state word:
/// the generation in it tells whether the cell still stands for the same closure. Page:
/// Closures.md.
@safe struct ClosureNode: ~Copyable {
  /// Size of a cell, B.
  static let cellSize = 64
  /// Where `body` lies in a cell, B.
  static let bodyOffset = 40
  /// Where `header` lies in a cell, B.
  static let headerOffset = 24

  /// The façade with the runtime's reference, once `promoted`.
  ///
  /// Before that 0, or the function that uses a stored body. Changes under the lock bit.
  let facade = Atomic<UInt>(0)
  /// A closure as a struct, which generic code and pointers take as it is, while they would wrap a
  /// bare function.
  struct Body {
    var function: (@Sendable () -> Void)?
  }
  /// Generation in the upper half, flags in the lower.
  let state = Atomic<UInt64>(0)
  /// The registry slot; valid while live.
  ///
  /// It lies where an operation has its run function, which no slot is: see
  /// `Operation.isOperation(at:)`.
  let membership = Atomic<UInt>(0)
  let header: JobHeader
  /// The closure, or the stored body, until it starts or moves to the façade.
  var body = InlineArray<3, UInt>(repeating: 0)

  static let lock: UInt64 = 1
  static let live: UInt64 = 2
  static let started: UInt64 = 4
  static let cancelled: UInt64 = 8
  static let promoted: UInt64 = 16
  /// It started cancelled, so the closure does not run.
  static let skipped: UInt64 = 32
  /// A handle has looked at it while it ran: it is retired by an exchange.
  static let watched: UInt64 = 64
  static let generationShift: UInt64 = 32

  init() { unsafe header = JobHeader(run: closureRun) }

  /// Whether a job of a scheduler is one of these; whoever asks holds it.
  static func isOne(_ job: Job) -> Bool { unsafe job.runs(closureRun) }

  /// The cell of such a job.
  static func cell(of job: Job) -> UnsafeMutablePointer<ClosureNode> {
    unsafe .at(UInt(bitPattern: job.header) - UInt(headerOffset))
  }

  /// Where the closure or the stored body lies; not through `pointee`, which would be an access to
  /// the whole cell, whose other fields others may read meanwhile.
  @inline(__always)
  private static func place(_ node: UnsafeMutablePointer<ClosureNode>) -> UnsafeMutableRawPointer {
    // SAFETY: it lies at that offset (tested).
    unsafe UnsafeMutableRawPointer(node) + bodyOffset
  }

  /// Moves the closure out, or the stored body as a closure; under the lock bit, or before the cell
  /// is opened.
  private static func takeBody(
    _ node: UnsafeMutablePointer<ClosureNode>
  ) -> (@Sendable () -> Void)? {
    // relaxed: changes under the lock bit only.
    let use = unsafe node.pointee.facade.load(ordering: .relaxed)
    guard use != 0 else {
      return unsafe place(node).assumingMemoryBound(to: Body.self).move().function
    }
    let address = UInt(bitPattern: unsafe place(node))
    let words = shim_use_body(use, address, StoredBody.Use.wrap.rawValue)
    // SAFETY: a closure is these two words (tested), and comes with its reference; through the
    // place, since a cast would take one more.
    unsafe _ = place(node).initializeMemory(as: shim_closure.self, to: words)
    return unsafe place(node).assumingMemoryBound(to: Body.self).move().function
  }

  /// Moves the closure or the stored body out and runs it, unless it is cancelled; what it has
  /// captured dies with it.
  ///
  /// A closure as words: it is released with a read-modify-write even where nobody shares it.
  @inline(__always)
  static func runBody(
    _ node: UnsafeMutablePointer<ClosureNode>, use: UInt, isCancelled: Bool
  ) {
    let place = unsafe place(node)
    guard use == 0 else {
      let mode = isCancelled ? StoredBody.Use.drop : .run
      _ = shim_use_body(use, UInt(bitPattern: place), mode.rawValue)
      return
    }
    // SAFETY: a closure is these two words (tested); they are nobody's afterwards.
    let words = unsafe place.load(as: shim_closure.self)
    if isCancelled { shim_release_context(words.context) } else { shim_call_closure_once(words) }
  }

  /// Fills a free cell.
  @inline(__always)
  static func prepare(
    _ node: UnsafeMutablePointer<ClosureNode>, _ body: consuming @escaping @Sendable () -> Void
  ) {
    // A free cell has no closure.
    unsafe _ = place(node).initializeMemory(as: Body.self, to: Body(function: consume body))
    unsafe node.pointee.facade.store(0, ordering: .relaxed)  // relaxed: the cell is this thread's.
  }

  /// Fills a free cell whose body has been stored.
  static func prepare(
    _ node: UnsafeMutablePointer<ClosureNode>, _ use: StoredBody.Function
  ) {
    let words = unsafe bodyWords(use)
    guard words.context == 0 else {
      // The compiler did not know the type, so the function needs a context, which has no place.
      let body = unsafe use(place(node), .wrap)
      return unsafe prepare(node, body ?? {})
    }
    // relaxed: the cell is this thread's.
    unsafe node.pointee.facade.store(words.function, ordering: .relaxed)
  }

  /// The generation that the handle of a free cell will have.
  @inline(__always)
  static func generation(_ node: UnsafeMutablePointer<ClosureNode>) -> UInt64 {
    // relaxed: the cell is this thread's.
    unsafe node.pointee.state.load(ordering: .relaxed) >> generationShift
  }

  /// From here on handles and enumerations may use the node.
  static func open(
    _ node: UnsafeMutablePointer<ClosureNode>, _ generation: UInt64, also flag: UInt64 = 0
  ) {
    let flags = live | flag
    // release, edge NodeOpened: an enumerator that sees `live` sees body, membership and façade.
    unsafe node.pointee.state.store(generation << generationShift | flags, ordering: .releasing)
  }

  /// Makes the façade, with the runtime's reference; under the lock bit, or before the cell is
  /// opened.
  static func makeFacade(
    _ node: UnsafeMutablePointer<ClosureNode>, slot: UInt, nodeFlags: UInt64 = 0, flags: UInt32 = 0
  ) -> BlockOperation {
    var flags = flags
    let isStarted = nodeFlags & started != 0
    if isStarted { flags |= StateBit.started }
    if nodeFlags & skipped != 0 { flags |= StateBit.skipped }
    if nodeFlags & cancelled != 0 { flags |= StateBit.cancelled }
    let facade = BlockOperation(
      facadeOf: UInt(bitPattern: node), slot: slot, flags: flags,
      // Once it has started the closure is the runner's.
      body: isStarted ? nil : unsafe takeBody(node))
    let word = unsafe UInt(bitPattern: Unmanaged.passRetained(facade).toOpaque())
    // relaxed: under the lock bit, or published with the opening.
    unsafe node.pointee.facade.store(word, ordering: .relaxed)
    if isRecording {
      EventRings.note(.standsFor, facade.word, argument: UInt64(UInt(bitPattern: node)))
    }
    return facade
  }

  /// The façade of a cell that is promoted, as its word.
  static func facadeWord(_ node: UnsafeMutablePointer<ClosureNode>) -> UInt {
    // relaxed: the caller has seen `promoted`, after which it stays.
    unsafe node.pointee.facade.load(ordering: .relaxed)
  }

  /// The façade of a cell that is promoted.
  static func facade(_ node: UnsafeMutablePointer<ClosureNode>) -> Unmanaged<Operation> {
    // SAFETY: the cell has the runtime's reference to it.
    unsafe Operation.reference(facadeWord(node))
  }

  static func job(_ node: UnsafeMutablePointer<ClosureNode>) -> Job {
    // SAFETY: the header lies at that offset (tested).
    unsafe Job(
      header: (UnsafeMutableRawPointer(node) + headerOffset)
        .assumingMemoryBound(to: JobHeader.self), band: .normal)
  }

  /// Sets flags with the lock bit clear; returns the word before.
  static func change(
    _ node: UnsafeMutablePointer<ClosureNode>, _ change: (UInt64) -> UInt64?
  ) -> UInt64 {
    var old = unsafe node.pointee.state.load(ordering: .acquiring)  // acquire, edge NodeOpened
    var backoff = Backoff()
    while true {
      if old & lock != 0 {
        backoff.wait()
        old = unsafe node.pointee.state.load(ordering: .acquiring)  // acquire: as above
        continue
      }
      guard let new = change(old) else { return old }
      // acquire and release, edge NodeState: every transition is one exchange of this word.
      let (won, seen) = unsafe node.pointee.state.weakCompareExchange(
        expected: old, desired: new, successOrdering: .acquiringAndReleasing,
        failureOrdering: .acquiring)
      if won { return old }
      old = seen
    }
  }

  /// As `Operation.needsNoSlot`, for the holder of the cell's job, which has not run.
  ///
  /// A cancellation whose lock bit is seen here looked at the limit before it, and leaves the skip
  /// to the holder.
  static func needsNoSlot(_ node: UnsafeMutablePointer<ClosureNode>) -> Bool {
    let flags = unsafe change(node) { _ in nil }
    guard flags & promoted != 0 else { return flags & cancelled != 0 }
    // SAFETY: the job is a handle of the façade.
    return unsafe facade(node)._withUnsafeGuaranteedRef(\.needsNoSlot)
  }

  /// Ends the use of a cell that has run, unless it is promoted; returns the word before.
  ///
  /// Without an exchange where no handle has looked: a handle that looks at a running cell sets
  /// `watched` and waits until no thread is in here with that cell.
  @inline(__always) static func retire(
    _ node: UnsafeMutablePointer<ClosureNode>, isAsymmetric: Bool, _ record: ThreadRecord
  ) -> UInt64 {
    if isAsymmetric {
      // release, edge Watched: whoever sees another cell here sees this one retired.
      record.retiring.store(UInt(bitPattern: node), ordering: .releasing)
      AsymmetricBarrier.light()
      // relaxed, edge Watched: the watcher's heavy barrier orders store and load.
      let word = unsafe node.pointee.state.load(ordering: .relaxed)
      let isLeftAlone = word & (watched | promoted | lock) == 0
      if isLeftAlone {
        // release, edges NodeState and Watched: what the closure wrote is seen by who sees it
        // finished.
        unsafe node.pointee.state.store(retired(word), ordering: .releasing)
      }
      record.retiring.store(0, ordering: .releasing)  // release, edge Watched
      if isLeftAlone { return word }
    }
    return unsafe change(node) { word in word & promoted != 0 ? nil : retired(word) }
  }

  /// Waits until no thread retires the cell without an exchange, after `watched` was set.
  ///
  /// O(threads), with a system call.
  @inline(never) static func awaitRetiring(_ node: UInt) {
    AsymmetricBarrier.heavy()
    ThreadRecord.forEach { record in
      var backoff = Backoff()
      // acquire, edge Watched: the word that was stored meanwhile is seen.
      while record.retiring.load(ordering: .acquiring) == node { backoff.wait() }
    }
  }

  /// The word of a cell that stands for nothing any more.
  static func retired(_ word: UInt64) -> UInt64 {
    ((word >> generationShift) &+ 1) << generationShift
  }
}

@inline(__always) private func closureRun(
  _ header: UnsafeMutableRawPointer, _ context: UnsafeMutableRawPointer
) -> UInt {
  let node = unsafe (header - ClosureNode.headerOffset)
    .assumingMemoryBound(to: ClosureNode.self)
  let context = unsafe context.assumingMemoryBound(to: WorkerContext.self)
  // relaxed: written before the hand-over that brought the job here.
  let slot = unsafe node.pointee.membership.load(ordering: .relaxed)
  // SAFETY: the member keeps its queue until `RegistryChunk.remove` and the credit.
  return unsafe OperationQueue.reference(RegistryChunk.queueWord(ofSlot: slot))
    ._withUnsafeGuaranteedRef { queue in
      ThreadRecord.withCurrent { record in
        unsafe queue.runClosure(node, slot, record, context)
      }
    }
}

extension OperationQueue {
  @inline(__always) fileprivate func runClosure(
    _ node: UnsafeMutablePointer<ClosureNode>, _ slot: UInt, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    let gate: StartGate
    if record.claim == word {
      record.claim = 0
      gate = .slot
    } else if enterGate(record) {
      gate = .fast
    } else if unsafe ClosureNode.needsNoSlot(node) {
      guard maySkipNow(deferring: unsafe ClosureNode.job(node)) else { return 0 }
      gate = .skip
    } else {
      takeBack(unsafe ClosureNode.job(node), ticket: RegistryChunk.ticket(ofSlot: slot))
      return 0
    }
    // relaxed: written before the hand-over; a façade that replaces it is seen in the state below.
    let use = unsafe node.pointee.facade.load(ordering: .relaxed)
    let before = unsafe ClosureNode.change(node) { word in
      let skip = word & ClosureNode.cancelled != 0 ? ClosureNode.skipped : 0
      return word | ClosureNode.started | skip
    }
    if before & ClosureNode.promoted != 0 {
      return unsafe runFacade(node, gate, record, context)
    }
    record.settleCredit(unlessOf: word)
    // One test for both.
    if before & ClosureNode.cancelled | UInt64(recordingWord) != 0 {
      let isCancelled = before & ClosureNode.cancelled != 0
      return unsafe runUnusually(
        node, slot, gate, use: use, isCancelled: isCancelled, record, context)
    }
    let outer = record.push(UInt(bitPattern: node), self)
    unsafe ClosureNode.runBody(node, use: use, isCancelled: false)
    record.pop(outer)
    return unsafe finishClosure(node, slot, gate, record, context)
  }

  /// The rest of `runClosure` for a cancelled one, or while a recording is under way.
  @inline(never) private func runUnusually(
    _ node: UnsafeMutablePointer<ClosureNode>, _ slot: UInt, _ gate: StartGate, use: UInt,
    isCancelled: Bool, _ record: ThreadRecord, _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    let address = UInt(bitPattern: node)
    if isRecording {
      unsafe EventRings.noteStart(
        address, worker: context.pointee.worker, origin: context.pointee.origin)
    }
    let outer = record.push(address, self)
    unsafe ClosureNode.runBody(node, use: use, isCancelled: isCancelled)
    record.pop(outer)
    if isRecording { Self.recordClosureFinish(address, isSkipped: isCancelled) }
    return unsafe finishClosure(node, slot, gate, record, context)
  }

  @inline(__always) private func finishClosure(
    _ node: UnsafeMutablePointer<ClosureNode>, _ slot: UInt, _ gate: StartGate,
    _ record: ThreadRecord, _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    // This is the finished event, unless a façade was made while the closure ran.
    let before = unsafe ClosureNode.retire(node, isAsymmetric: isAsymmetric, record)
    if before & ClosureNode.promoted != 0 {
      return unsafe finishFacade(node, gate, record, context)
    }
    // Before anything that takes a lock: an enumeration may wait for this with the stripe's. The
    // credit keeps the queue.
    RegistryChunk.remove(slot: slot)
    if gate == .fast { leaveGate(record) }
    if hasExtras { noteClosureEnd(wasSkipped: before & ClosureNode.skipped != 0) }
    unsafe record.nodeCache.give(node)
    unsafe record.credit(self, context)
    return 0
  }

  /// As `runClosure` from the gate on where a façade was made before: the cell is its first handle,
  /// and it gives the cell back when it leaves.
  @inline(never) private func runFacade(
    _ node: UnsafeMutablePointer<ClosureNode>, _ gate: StartGate, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    unsafe ClosureNode.facade(node)._withUnsafeGuaranteedRef { facade in
      unsafe facade.runPastGate(0, gate, self, record, context)
    }
  }

  /// As `finishClosure` where a façade was made while the closure ran.
  @inline(never) private func finishFacade(
    _ node: UnsafeMutablePointer<ClosureNode>, _ gate: StartGate, _ record: ThreadRecord,
    _ context: UnsafeMutablePointer<WorkerContext>
  ) -> UInt {
    unsafe ClosureNode.facade(node)._withUnsafeGuaranteedRef { facade in
      // acquire, edge EditLock.
      let bits = facade.state.load(ordering: .acquiring)
      let outer = record.push(facade.word, self)
      defer { record.pop(outer) }
      return unsafe facade.finishOnWorker(bits, gate, self, record, context)
    }
  }
}
