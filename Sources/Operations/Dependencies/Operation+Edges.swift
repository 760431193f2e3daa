// SPDX-License-Identifier: Apache-2.0

import Scheduling
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
  // MARK: The words

  /// How many inline dependency slots `bits` says are used.
  static func inlineCount(_ bits: UInt32) -> Int {
    Int((bits & StateBit.dependencyCountMask) >> StateBit.dependencyCountShift)
  }

  /// The link word of the inline edge `entry` = operation | slot << 1.
  static func edgeLink(_ entry: UInt) -> UnsafeMutablePointer<Atomic<UInt>> {
    unsafe slotWord(entry & ~15, OperationLayout.edges, Int((entry >> 1) & 7))
  }

  /// The link word of the inline edge `slot`.
  final func edgeLink(_ slot: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
    unsafe Self.slotWord(word, OperationLayout.edges, slot)
  }

  /// The inline dependency word `slot`.
  final func dependencyWord(_ slot: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
    unsafe Self.slotWord(word, OperationLayout.dependencies, slot)
  }

  @inline(__always) private static func slotWord(
    _ operation: UInt, _ offset: Int, _ slot: Int
  ) -> UnsafeMutablePointer<Atomic<UInt>> {
    // SAFETY: the three words follow each other at a fixed offset (tested).
    unsafe .at(operation &+ UInt(bitPattern: offset &+ slot &* 8))
  }

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

  // MARK: Registration

  /// Registers the edges; takes over the edit lock with the state word `bits`.
  final func register(slot: UInt, behind barrier: Operation?, locked bits: UInt32) -> Job? {
    membership.store(slot, ordering: .releasing)  // release, edge Submitted
    guard barrier == nil, bits & (StateBit.toBeSkipped | StateBit.edgesInCold) == 0 else {
      return registerUnusually(behind: barrier, bits)
    }
    var registration = Registration()
    let slots = Self.inlineCount(bits)
    // relaxed: published by the release of the pushes. A slot whose dependency was removed counts
    // as resolved.
    pending.store(UInt32(slots), ordering: .relaxed)
    for slot in 0..<slots {
      // relaxed: locked
      let dependency = unsafe dependencyWord(slot).pointee.load(ordering: .relaxed)
      unsafe registration.push(.slot(slot), of: self, on: dependency)
    }
    return endRegistration(registration, slots > 0, bits)
  }

  /// As `register` behind a barrier, of what will be skipped, or with more edges than the operation
  /// has room for; the slot is stored.
  @inline(never) private final func registerUnusually(
    behind barrier: Operation?, _ locked: UInt32
  ) -> Job? {
    var bits = locked
    if let barrier { _ = unsafe appendDependency(barrier, &bits, hidden: true) }
    // What will be skipped ignores its dependencies, but not a barrier.
    let ignores = bits & StateBit.toBeSkipped != 0
    var edges: UInt32 = 0
    unsafe forEachEdge(bits) { edge, _ in
      if unsafe !ignores || Self.isHidden(edge) { edges += 1 }
    }
    pending.store(edges, ordering: .relaxed)  // relaxed: as in `register`
    var registration = Registration()
    unsafe forEachEdge(bits) { edge, dependency in
      guard unsafe !ignores || Self.isHidden(edge) else { return }
      unsafe registration.push(edge, of: self, on: dependency)
    }
    return endRegistration(registration, edges > 0, bits)
  }

  /// Gives up the edit lock; returns the job when nothing holds the operation back.
  @inline(__always) private final func endRegistration(
    _ registration: Registration, _ hasEdges: Bool, _ locked: UInt32
  ) -> Job? {
    var bits = StateChange.register(locked)
    // Every edge waits: whoever resolves the last one hands over, and the start waits for the edit
    // lock, so nothing may follow the unlock.
    if registration.resolved == 0, hasEdges {
      unlockState(bits)
      return nil
    }
    // The last edge may be resolved before the mark below: its begin looks at the edges again.
    if registration.inheritsCancellation { bits = StateChange.recall(bits) }
    // What this thread has resolved itself keeps the count above zero until here.
    // acquire and release, edge Resolved: see `resolve`.
    let left = pending.wrappingSubtract(
      registration.resolved, ordering: .acquiringAndReleasing
    ).newValue
    // From the unlock on it may run and leave, unless nothing holds it back.
    let kept = registration.inheritsCancellation ? unsafe Unmanaged.passRetained(self) : nil
    unlockState(bits)
    // Before the hand-over, so that it does not start.
    if let kept = unsafe kept {
      ThreadRecord.current.cancelWhileAdded(self)
      unsafe kept.release()
    }
    return left == 0 ? job : nil
  }
}

/// What the registration of an operation's edges has found.
private struct Registration {
  /// Edges that hold nothing back.
  var resolved: UInt32 = 0
  /// A finished dependency passes its cancellation on.
  var inheritsCancellation = false

  @inline(__always) mutating func push(
    _ edge: EdgeLocation, of operation: Operation, on dependency: UInt
  ) {
    if dependency != 0 {
      guard unsafe !operation.push(edge, on: dependency) else { return }
      inheritsCancellation =
        Operation.passesCancellationOn(dependency) || inheritsCancellation
    }
    resolved += 1
  }
}
