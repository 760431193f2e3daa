// SPDX-License-Identifier: Apache-2.0

import CSystemShims
import Synchronization

/// Where the edge of one dependency lives.
@unsafe enum EdgeLocation {
  /// One of the operation's own words.
  case slot(Int)
  /// A record in the cold table.
  case record(RecordPointer)

  /// Tells the edges of one operation apart.
  var key: UInt {
    switch unsafe self {
    case .slot(let slot): UInt(slot)
    case .record(let record): UInt(bitPattern: record)
    }
  }
}

extension Operation {
  // MARK: The list; under the edit lock

  final func currentDependencies(_ bits: UInt32) -> [Operation] {
    var list: [Operation] = []
    let table = coldTable
    unsafe forEachPlace(bits) { edge, word in
      guard unsafe !Self.isHidden(edge) else { return }
      if word != 0 {
        unsafe list.append(Self.reference(word).takeUnretainedValue())
      } else if let released = table?.released[unsafe edge.key]?.operation {
        list.append(released)
      }
    }
    return list
  }

  final func edge(to dependency: Operation, _ bits: UInt32) -> EdgeLocation? {
    let wanted = dependency.word
    for slot in 0..<Self.inlineCount(bits)
    // relaxed: locked
    where unsafe dependencyWord(slot).pointee.load(ordering: .relaxed) == wanted {
      return unsafe .slot(slot)
    }
    guard bits & StateBit.edgesInCold != 0, let table = coldTable else { return nil }
    if unsafe table.records.count > ColdTable.indexThreshold {
      guard let position = table.recordIndex[wanted] else { return nil }
      return unsafe .record(table.records[position])
    }
    for index in unsafe table.records.indices {
      let record = unsafe table.records[index]
      if unsafe record.pointee.dependency == wanted, unsafe !record.pointee.isHidden {
        return unsafe .record(record)
      }
    }
    return nil
  }

  final func lists(_ dependency: Operation, _ bits: UInt32) -> Bool {
    unsafe edge(to: dependency, bits) != nil
  }

  /// Adds the edge to another operation, of this one without registered edges, with room for it and
  /// nobody to tell; false otherwise.
  @inline(__always) final func addInlineEdge(to dependency: Operation) -> Bool {
    let bits = state.load(ordering: .relaxed)  // relaxed: the exchange validates it
    let others =
      StateBit.lock | StateBit.registered | StateBit.ignoresDependencies | StateBit.hasExtras
      | StateBit.edgesInCold
    let used = Self.inlineCount(bits)
    guard bits & others == 0, used < OperationLayout.inlineDependencies, dependency !== self
    else { return false }
    // sequentially consistent, edges EditLock and Completion: as in `changeState`.
    let (won, _) = state.weakCompareExchange(
      expected: bits, desired: bits | StateBit.lock, successOrdering: .sequentiallyConsistent,
      failureOrdering: .relaxed)
    guard won else { return false }
    let wanted = dependency.word
    for slot in 0..<used
    // relaxed: locked
    where unsafe dependencyWord(slot).pointee.load(ordering: .relaxed) == wanted {
      unlockState(bits)
      return true
    }
    unsafe _ = Unmanaged.passRetained(dependency)
    unsafe dependencyWord(used).pointee.store(wanted, ordering: .relaxed)  // relaxed: locked
    unlockState(StateChange.addInlineEdge(bits))
    return true
  }

  /// Retains and lists `dependency`; registers nothing.
  final func appendDependency(
    _ dependency: Operation, _ bits: inout UInt32, hidden: Bool
  ) -> EdgeLocation {
    let retained = unsafe UInt(bitPattern: Unmanaged.passRetained(dependency).toOpaque())
    let slot = Self.inlineCount(bits)
    if slot < OperationLayout.inlineDependencies, !hidden {
      unsafe dependencyWord(slot).pointee.store(retained, ordering: .relaxed)  // relaxed: locked
      bits += 1 << StateBit.dependencyCountShift
      return unsafe .slot(slot)
    }
    let table = coldTableMade()
    bits = StateChange.spillEdges(bits)
    let record = RecordPointer.allocate(capacity: 1)
    unsafe record.initialize(to: SuccessorRecord(edgeOf: word, on: retained, isHidden: hidden))
    unsafe table.records.append(record)
    let last = unsafe table.records.count - 1
    if last == ColdTable.indexThreshold {
      indexAll(table)
    } else if last > ColdTable.indexThreshold, !hidden {
      table.recordIndex[retained] = last
    }
    return unsafe .record(record)
  }

  private final func indexAll(_ table: ColdTable) {
    for position in unsafe table.records.indices {
      let record = unsafe table.records[position]
      if unsafe record.pointee.dependency == 0 || record.pointee.isHidden { continue }
      unsafe table.recordIndex[record.pointee.dependency] = position
    }
  }

  /// `edge` was taken out before registration, so that no list names its record: frees such records
  /// once they are most.
  ///
  /// O(1) amortised.
  final func forget(_ edge: EdgeLocation) {
    guard case .record = unsafe edge, let table = coldTable else { return }
    table.withdrawn += 1
    let records = unsafe table.records
    guard unsafe table.withdrawn > records.count / 2 else { return }
    table.withdrawn = 0
    unsafe table.records = records.filter { record in unsafe record.pointee.dependency != 0 }
    for index in unsafe records.indices where unsafe records[index].pointee.dependency == 0 {
      unsafe records[index].deinitialize(count: 1)
      unsafe records[index].deallocate()
    }
    table.recordIndex = [:]
    if unsafe table.records.count > ColdTable.indexThreshold { indexAll(table) }
  }

  /// Takes the dependency of `edge` out of the list and returns it for the caller to release after
  /// unlocking.
  final func takeDependency(out edge: EdgeLocation) -> Unmanaged<Operation> {
    var word: UInt = 0
    switch unsafe edge {
    case .slot(let slot):
      // relaxed: locked
      word = unsafe dependencyWord(slot).pointee.exchange(0, ordering: .relaxed)
    case .record(let record): unsafe swap(&word, &record.pointee.dependency)
    }
    return unsafe Self.reference(word)
  }

  /// Every edge that still has its dependency, hidden ones included.
  final func forEachEdge(_ bits: UInt32, _ body: (EdgeLocation, UInt) -> Void) {
    unsafe forEachPlace(bits) { edge, word in if word != 0 { unsafe body(edge, word) } }
  }

  /// As `forEachEdge`; of an edge without its dependency the word is 0.
  @inline(__always)
  private final func forEachPlace(_ bits: UInt32, _ body: (EdgeLocation, UInt) -> Void) {
    for slot in 0..<Self.inlineCount(bits) {
      // relaxed: the edit lock orders all dependency words.
      unsafe body(.slot(slot), dependencyWord(slot).pointee.load(ordering: .relaxed))
    }
    guard bits & StateBit.edgesInCold != 0, let table = coldTable else { return }
    for index in unsafe table.records.indices {
      let record = unsafe table.records[index]
      unsafe body(.record(record), record.pointee.dependency)
    }
  }

  /// The barrier that the operation came behind, if it still has the edge, or 0; under the edit
  /// lock.
  final func hiddenDependency(_ bits: UInt32) -> UInt {
    var barrier: UInt = 0
    unsafe forEachEdge(bits) { edge, dependency in
      if unsafe Self.isHidden(edge) { barrier = dependency }
    }
    return barrier
  }

  // MARK: Pushing

  /// Puts `edge` on the successor list of the operation at `dependency`; false when that has
  /// finished.
  final func push(_ edge: EdgeLocation, on dependency: UInt) -> Bool {
    switch unsafe edge {
    case .slot(let slot):
      return unsafe Self.push(word | UInt(slot) &<< 1, link: edgeLink(slot), on: dependency)
    case .record(let record):
      let entry = UInt(bitPattern: record) | SuccessorWord.recordTag
      // SAFETY: the record outlives the list entry; its link is the field at its own address.
      return unsafe withUnsafePointer(to: record.pointee.link) { link in
        unsafe Self.push(entry, link: UnsafeMutablePointer(mutating: link), on: dependency)
      }
    }
  }

  static func push(
    _ entry: UInt, link: UnsafeMutablePointer<Atomic<UInt>>, on dependency: UInt
  ) -> Bool {
    unsafe reference(dependency)._withUnsafeGuaranteedRef { dependency in
      // acquire, edge Finished: a sealed list publishes the dependency's writes to the registrar.
      var head = dependency.successors.load(ordering: .acquiring)
      while true {
        if head == SuccessorWord.sealed { return false }
        // relaxed: ordered by the release below.
        unsafe link.pointee.store(head, ordering: .relaxed)
        // release, edge EdgePushed: the finisher's exchange acquires link, `pending` and record.
        let (won, seen) = dependency.successors.weakCompareExchange(
          expected: head, desired: entry, successOrdering: .acquiringAndReleasing,
          failureOrdering: .acquiring)
        if won { return true }
        head = seen
      }
    }
  }

  // MARK: Letting go

  /// Whether there is something for deinit to let go of.
  @inline(__always) final var keepsSomething: Bool {
    // relaxed, all: last reference
    let dependencies =
      dependency0.load(ordering: .relaxed) | dependency1.load(ordering: .relaxed)
      | dependency2.load(ordering: .relaxed)
    // Recorded dependencies and waiting dependents come with a cold table or an unsealed list.
    return dependencies | cold.load(ordering: .relaxed) != 0 || !isSealed
  }

  /// Deinit: an operation that dies unfinished releases what waits for it; its dependencies go
  /// iteratively.
  final func letGoOfEverything() {
    // Most have left the caches since they ran: they are fetched side by side.
    // relaxed, all: last reference
    shim_prefetch(dependency0.load(ordering: .relaxed))
    shim_prefetch(dependency1.load(ordering: .relaxed))
    shim_prefetch(dependency2.load(ordering: .relaxed))
    if !isSealed {
      // Every edge left here is stale: whoever still waits for this operation retains it.
      resolveStaleSuccessors()
    }
    let bits = state.load(ordering: .relaxed)  // relaxed: last reference
    let table = cold.load(ordering: .relaxed)  // relaxed: as above
    ThreadRecord.withCurrent { record in
      unsafe forEachEdge(bits) { _, word in record.release(word) }
    }
    if table != 0 {
      // SAFETY: made by `coldTableMade`, which retained it for the operation.
      unsafe Unmanaged<ColdTable>.fromOpaque(
        UnsafeRawPointer(bitPattern: table).unsafelyUnwrapped
      ).release()
    }
  }

  /// A skipped operation lets go of dependencies that have not finished; it lists them for as long
  /// as others keep them.
  ///
  /// Keeping them would be a cycle that lasts for ever when they depend on this operation in turn,
  /// or when they never finish and have an edge into it, which keeps it until it is resolved.
  ///
  /// Before it finishes itself: afterwards those that wait for it may have finished as well, and
  /// would be kept. No effect once it has finished, so that any thread that finishes it may call
  /// this.
  final func letGoOfUnfinishedDependencies(_ bits: UInt32) {
    // One that keeps none lets go of all when it leaves.
    let kept = StateBit.skipped | StateBit.retainsDependencies
    guard bits & kept == kept, Self.hasDependencies(bits) else { return }
    var released: [Unmanaged<Operation>] = unsafe []
    let bits = lockState()
    guard !isSealed else { return unlockState(bits) }
    unsafe forEachEdge(bits) { edge, dependency in
      let reference = unsafe Self.reference(dependency)
      let isResolved = unsafe reference._withUnsafeGuaranteedRef(\.isSealed)
      if isResolved { return }
      let table = coldTableMade()
      if unsafe !Self.isHidden(edge) {
        table.released[unsafe edge.key] = WeakOperation(
          operation: unsafe reference.takeUnretainedValue())
      }
      table.recordIndex[dependency] = nil
      unsafe released.append(takeDependency(out: edge))
    }
    unlockState(bits)
    for index in unsafe released.indices { unsafe released[index].release() }
  }

  /// Who has finished the operation drops its dependencies, which nobody else reads.
  @inline(__always) final func dropDependencies(_ bits: UInt32) {
    for slot in 0..<Self.inlineCount(bits) {
      // relaxed: after `begin` only who finishes an operation that drops them touches the words.
      let word = unsafe dependencyWord(slot).pointee.load(ordering: .relaxed)
      guard word != 0 else { continue }
      unsafe dependencyWord(slot).pointee.store(0, ordering: .relaxed)  // relaxed: as above
      unsafe Self.reference(word).release()
    }
    if bits & StateBit.edgesInCold != 0 { dropRecordedDependencies() }
  }

  @inline(never) private final func dropRecordedDependencies() {
    // Under the lock: a dependency that was cancelled may still look whether this operation depends
    // on it.
    var dropped: [Unmanaged<Operation>] = unsafe []
    let bits = lockState()
    unsafe forEachEdge(bits) { edge, _ in unsafe dropped.append(takeDependency(out: edge)) }
    unlockState(bits)
    for index in unsafe dropped.indices { unsafe dropped[index].release() }
  }
}
