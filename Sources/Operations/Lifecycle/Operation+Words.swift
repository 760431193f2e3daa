// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import ConcurrencyPrimitives
import Scheduling
import Synchronization

extension Operation {
  /// Address of the object; 16-byte aligned.
  final var word: UInt { unsafe UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

  /// The object at `word`, unretained.
  static func reference(_ word: UInt) -> Unmanaged<Operation> {
    // SAFETY: the caller got `word` from `word` of an object that is kept alive by an edge, a
    // handle or a registry.
    unsafe .at(word & ~15)
  }

  /// Retains the object at `word` before the caller lets go of the pin that keeps it.
  ///
  /// Never inlined: the optimiser sinks a visible retain below an atomic store. The unlocks stop it
  /// by themselves.
  @inline(never) static func retain(_ word: UInt) -> UInt {
    // SAFETY: as `reference`.
    unsafe _ = reference(word).retain()
    return word
  }

  /// Retains the queue that holds the operation; under the edit lock, not inlined for the reason
  /// above.
  @inline(never) final func retainQueue() -> Unmanaged<OperationQueue> {
    unsafe queueReference.retain()
  }

  /// Takes over the reference of `retain(_:)`; nil for 0.
  static func takeRetained(_ word: UInt) -> Operation? {
    word == 0 ? nil : unsafe reference(word).takeRetainedValue()
  }

  /// The job that runs this operation, in its present band.
  @inline(__always) final var job: Job {
    // SAFETY: the header lies at a fixed offset (tested) and lives as long as the object.
    unsafe Job(header: .at(word &+ UInt(OperationLayout.header)), band: band)
  }

  final var band: PriorityBand {
    // sequentially consistent, edge LevelChanged: after the step that made the operation ready; see
    // `changeBand`.
    PriorityBand(
      lowBitsOf: UInt(state.load(ordering: .sequentiallyConsistent) >> StateBit.bandShift))
  }

  /// The record that a list word names.
  static func record(_ entry: UInt) -> RecordPointer {
    // SAFETY: tagged words are made from record addresses only.
    unsafe .at(entry & ~SuccessorWord.recordTag)
  }

  /// Finished: the successor list is sealed.
  final var isSealed: Bool {
    // acquire, edge Finished: pairs with the sealing exchange, so that the body's writes are
    // visible.
    successors.load(ordering: .acquiring) == SuccessorWord.sealed
  }

  /// As `isSealed`, for who has the edit lock and leaves something for the finisher: either the
  /// seal is seen here, or the finisher sees the lock, or what was left.
  final var isSealedForEditor: Bool {
    // sequentially consistent, edge Completion: pairs with the seal; see `finishOnWorker`.
    successors.load(ordering: .sequentiallyConsistent) == SuccessorWord.sealed
  }

  /// Whether `bits` says that the body has begun, and was not skipped.
  @inline(__always) static func hasBegun(_ bits: UInt32) -> Bool {
    bits & (StateBit.started | StateBit.skipped) == StateBit.started
  }

  /// Whether `bits` says that there are dependencies.
  @inline(__always) static func hasDependencies(_ bits: UInt32) -> Bool {
    bits & (StateBit.dependencyCountMask | StateBit.edgesInCold) != 0
  }

  /// It takes resources when it starts.
  final var needsResources: Bool {
    state.load(ordering: .acquiring) & StateBit.needsResources != 0  // acquire, edge EditLock.
  }

  // MARK: The class

  // Of its own classes this room knows it when the object is made. Of others Swift's runtime is
  // asked, once per class.

  /// Gives a new object these flags, and notes if it is of exactly this class of ours, so that no
  /// hook is overridden.
  ///
  /// In initialisers of classes of this room, which call it for their own class after
  /// `super.init()`.
  final func setInitialState(
    of exactly: Operation.Type, _ flags: UInt32 = StateBit.retainsDependencies
  ) {
    let builtIn = type(of: self) == exactly ? StateBit.builtIn | StateBit.plain : 0
    // relaxed: nobody else has the object yet.
    state.store(StateBit.normalBand | flags | builtIn, ordering: .relaxed)
  }

  /// Of exactly a class of this room, and not of a user's.
  final var isBuiltIn: Bool {
    // relaxed: does not change once the object is known to others.
    state.load(ordering: .relaxed) & StateBit.builtIn != 0
  }

  /// `StateBit.plain` if the operation is plain, else 0; for its begin.
  @inline(__always) final func plainness(_ bits: UInt32) -> UInt32 {
    if bits & StateBit.plain != 0 { return StateBit.plain }
    return shim_overrides_start_or_flags(classAddress) == 0 ? StateBit.plain : 0
  }

  /// Its class overrides none of `start()`, `isReady` and `isFinished`.
  final var isOfPlainClass: Bool {
    // relaxed: a fact about the class.
    plainness(state.load(ordering: .relaxed)) != 0
  }

  /// The class has a `start()` of its own, so that a skip comes to code of the user's, which could
  /// want a slot.
  final var overridesStart: Bool { !isBuiltIn && shim_overrides_start(classAddress) != 0 }

  /// The class has a `cancel()` of its own, which is user code.
  final var overridesCancel: Bool { !isBuiltIn && shim_overrides_cancel(classAddress) != 0 }

  @inline(__always) private final var classAddress: UInt {
    UInt(bitPattern: ObjectIdentifier(type(of: self)))
  }

  // MARK: The edit lock

  /// Takes the edit lock and returns the word without the lock bit.
  ///
  /// Never run user code, release an object or hand anything over under it.
  final func lockState() -> UInt32 { changeState { $0 | StateBit.lock } }

  /// Stores `bits` and gives up the edit lock.
  final func unlockState(_ bits: UInt32) {
    shim_keep_order()
    // release, edge EditLock: publishes the edit to the next owner, to `begin` and to readers of
    // the bits.
    state.store(bits & ~StateBit.lock, ordering: .releasing)
  }

  /// Reads under the edit lock.
  @inline(__always) final func underLock<Value>(_ body: (UInt32) -> Value) -> Value {
    let bits = lockState()
    defer { unlockState(bits) }
    return body(bits)
  }

  /// Makes a change in one exchange when nobody has the edit lock; returns the word before.
  @inline(__always) final func changeState(_ change: (UInt32) -> UInt32) -> UInt32 {
    var bits = state.load(ordering: .relaxed)  // relaxed: the exchange validates it
    var backoff = Backoff()
    while true {
      if bits & StateBit.lock != 0 {
        backoff.wait()
        bits = state.load(ordering: .relaxed)  // relaxed: as above
        continue
      }
      // acquire and release, edge EditLock: one edit in the order of edits, and for the lock after
      // the `unlockState` before; sequentially consistent, edge Completion: the finisher's look at
      // this word and the look at its seal under the lock cannot both miss.
      let (won, seen) = state.weakCompareExchange(
        expected: bits, desired: change(bits), successOrdering: .sequentiallyConsistent,
        failureOrdering: .relaxed)
      if won { return bits }
      bits = seen
    }
  }

  // MARK: The cold table

  final var hasColdTable: Bool { cold.load(ordering: .relaxed) != 0 }  // relaxed: 0 → address once

  /// The cold table, or nil when nobody has needed it.
  final var coldTable: ColdTable? { lookAtColdTable { $0 } }

  /// Calls `body` with the cold table, without counting a reference; nil when there is none.
  ///
  /// What is guarded by the edit lock stays so.
  @inline(__always) final func lookAtColdTable<Value>(_ body: (ColdTable) -> Value) -> Value? {
    // acquire, edge ColdTableMade: pairs with the release in `makeColdTable`.
    let address = cold.load(ordering: .acquiring)
    // SAFETY: retained by the operation until its deinit.
    return address == 0 ? nil : unsafe Unmanaged.at(address)._withUnsafeGuaranteedRef(body)
  }

  /// The cold table, made on first use.
  final func coldTableMade() -> ColdTable { lookAtColdTableMade { $0 } }

  /// As `lookAtColdTable`, making the table on first use.
  @inline(__always) final func lookAtColdTableMade<Value>(_ body: (ColdTable) -> Value) -> Value {
    let address = cold.load(ordering: .acquiring)  // acquire, edge ColdTableMade
    // SAFETY: as above.
    return unsafe Unmanaged.at(address == 0 ? makeColdTable() : address)
      ._withUnsafeGuaranteedRef(body)
  }

  /// Returns the address of the table, which is this one or another thread's.
  @inline(never) private final func makeColdTable() -> UInt {
    let made = unsafe Unmanaged.passRetained(ColdTable())
    let address = unsafe UInt(bitPattern: made.toOpaque())
    // release on success, edge ColdTableMade; acquire on failure to read the winner's table.
    let (won, winner) = cold.compareExchange(
      expected: 0, desired: address, successOrdering: .acquiringAndReleasing,
      failureOrdering: .acquiring)
    if won { return address }
    // SAFETY: nobody else has seen it.
    unsafe made.release()
    return winner
  }

  /// Reads from the cold table under the edit lock; nil when there is none.
  final func withColdTable<Value>(_ body: (ColdTable) -> Value) -> Value? {
    lookAtColdTable { table in underLock { _ in body(table) } }
  }

  /// Changes the cold table under the edit lock, making it first.
  final func withColdTableMade<Value>(_ body: (ColdTable) -> Value) -> Value {
    lookAtColdTableMade { table in underLock { _ in body(table) } }
  }
}
