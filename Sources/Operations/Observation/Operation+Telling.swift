// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

// What happens to an operation with extras is noted in the step that makes it happen, under the
// edit lock, and told afterwards without it. Page: Observation.md.

extension Operation {
  /// The log, when there is one; under the edit lock, or once the bit was seen.
  final func observationLog(_ bits: UInt32) -> ObservationLog? {
    bits & StateBit.hasExtras == 0 ? nil : coldTable?.observation
  }

  // MARK: Noting; under the edit lock

  /// The operation has begun.
  final func noteBegin(_ bits: UInt32) {
    guard let log = observationLog(bits) else { return }
    noteReady(true, log)
    if bits & StateBit.skipped == 0 { log.log.append(.executing(true)) }
    // An operation that does not keep them lists no dependencies from here on.
    guard bits & StateBit.retainsDependencies == 0, log.lists.observes(.builtIn(.dependencies))
    else { return }
    let listed = currentDependencies(bits)
    if !listed.isEmpty { log.log.append(.changed(.builtIn(.dependencies), listed, [Operation]())) }
  }

  /// The operation has been sealed; waits for an editor, and returns the state.
  final func noteFinish() -> UInt32 {
    let bits = lockState()
    if let log = observationLog(bits) {
      noteReady(true, log)
      log.log.append(.executing(false))
      log.log.append(.finished)
    }
    unlockState(bits)
    return bits
  }

  /// `bits` says cancelled from here on.
  final func noteCancelled(_ bits: UInt32) {
    guard let log = observationLog(bits) else { return }
    log.log.append(.cancelled)
    noteReady(true, log)
  }

  /// `bits` says finished before the start from here on.
  final func noteFinishRequested(_ bits: UInt32) {
    if let log = observationLog(bits) { noteReady(true, log) }
  }

  final func notePriority(from old: UInt32, to new: UInt32) {
    guard let log = observationLog(new), log.lists.observes(.builtIn(.queuePriority)) else {
      return
    }
    log.log.append(.changed(.builtIn(.queuePriority), Self.priority(old), Self.priority(new)))
  }

  static func priority(_ bits: UInt32) -> QueuePriority {
    QueuePriority(band: .init(lowBitsOf: UInt(bits >> StateBit.bandShift)))
  }

  final func noteCompletionBlock(
    from old: (@Sendable () -> Void)?, to new: (@Sendable () -> Void)?, _ bits: UInt32
  ) {
    let subject = ObservedSubject.builtIn(.completionBlock)
    guard old != nil || new != nil, let log = observationLog(bits), log.lists.observes(subject)
    else { return }
    log.log.append(.changed(subject, old, new))
  }

  /// The dependencies, if anybody observes them; before a change.
  final func observedDependencies(_ bits: UInt32) -> [Operation]? {
    guard let log = observationLog(bits), log.lists.observes(.builtIn(.dependencies)) else {
      return nil
    }
    return currentDependencies(bits)
  }

  /// A dependency was added or removed.
  final func noteDependencies(from listed: [Operation]?, added: Operation?, _ bits: UInt32) {
    guard let log = observationLog(bits) else { return }
    if let listed {
      log.log.append(.changed(.builtIn(.dependencies), listed, currentDependencies(bits)))
    }
    guard log.tracksReadiness else { return }
    if let added, bits & StateBit.ignoresDependencies == 0, !added.isSealed {
      noteReady(false, log)
    } else {
      noteReady(isBuiltInReady(log, bits), log)
    }
  }

  private final func noteReady(_ isReady: Bool, _ log: ObservationLog) {
    guard log.tracksReadiness, log.builtInReady != isReady else { return }
    log.builtInReady = isReady
    log.log.append(.ready(isReady))
  }

  /// Readiness by dependencies alone; amortised O(1), for what has finished or was removed stays
  /// so.
  final func isBuiltInReady(_ log: ObservationLog, _ bits: UInt32) -> Bool {
    if bits & StateBit.ignoresDependencies != 0 { return true }
    let table = coldTable
    let records = unsafe table?.records.count ?? 0
    while log.readyCursor < OperationLayout.inlineDependencies + records {
      let place = log.readyCursor
      if place < OperationLayout.inlineDependencies {
        // A slot that is not used yet may be so later: the cursor stays before it unless records
        // follow.
        guard place < Self.inlineCount(bits) else {
          return areSealed(table, from: 0)
        }
        // relaxed: locked
        let word = unsafe dependencyWord(place).pointee.load(ordering: .relaxed)
        if word != 0, unsafe !Self.reference(word)._withUnsafeGuaranteedRef(\.isSealed) {
          return false
        }
      } else if !areSealed(table, only: place - OperationLayout.inlineDependencies) {
        return false
      }
      log.readyCursor += 1
    }
    return true
  }

  private final func areSealed(_ table: ColdTable?, from first: Int) -> Bool {
    for index in unsafe first..<(table?.records.count ?? 0) where !areSealed(table, only: index) {
      return false
    }
    return true
  }

  private final func areSealed(_ table: ColdTable?, only index: Int) -> Bool {
    guard let record = unsafe table?.records[index] else { return true }
    let word = unsafe record.pointee.isHidden ? 0 : record.pointee.dependency
    return unsafe word == 0 || Self.reference(word)._withUnsafeGuaranteedRef(\.isSealed)
  }

  /// What the runtime says of a flag that never goes back by itself; nil for what is no flag.
  final func runtimeValue(of property: ObservedProperty, _ bits: UInt32) -> Bool? {
    let isSealed = isSealedForEditor
    return switch property {
    case .isCancelled: bits & StateBit.cancelled != 0
    case .isAsynchronous: bits & StateBit.asynchronous != 0
    case .isExecuting: Self.hasBegun(bits) && !isSealed
    case .isFinished: isSealed
    case .isReady: coldTable?.observation.map { isBuiltInReady($0, bits) } ?? true
    case .dependencies, .queuePriority, .completionBlock, .own: nil
    }
  }

  // MARK: Probes

  /// Has `dependency` tell this operation when it finishes.
  ///
  /// Without lock.
  final func probe(_ dependency: Operation) {
    guard !dependency.isSealed else { return dependencyEnded() }
    // The finisher takes the long path. Visible to it: it acquires the push below, which comes
    // after this.
    _ = dependency.changeState(StateChange.giveExtras)
    let record = unsafe ReadinessProbe.makeRecord(self)
    // The list owns the record once it is in.
    guard unsafe !dependency.pushRecord(record) else { return }
    unsafe ReadinessProbe.free(record)
    dependencyEnded()
  }

  /// A probed dependency has finished, or may have.
  final func dependencyEnded() {
    let bits = lockState()
    if let log = observationLog(bits), log.tracksReadiness {
      noteReady(isBuiltInReady(log, bits), log)
    }
    unlockState(bits)
    deliverTransitions()
  }

  /// `dependency` was added to an operation with extras; without lock.
  final func dependencyAdded(_ dependency: Operation) {
    let bits = lockState()
    let isProbed = observationLog(bits)?.tracksReadiness ?? false
    unlockState(bits)
    if isProbed { probe(dependency) }
    deliverTransitions()
  }

  // MARK: Telling; without lock

  /// As `deliverTransitions()`, when `bits` says that there may be something to tell.
  @inline(__always) final func deliverTransitions(_ bits: UInt32) {
    if bits & StateBit.hasExtras != 0 { deliverTransitions() }
  }

  /// Tells the observers what was noted, unless another thread is doing so and will find the rest.
  final func deliverTransitions() {
    guard let table = coldTable else { return }
    while true {
      let bits = lockState()
      let log = table.observation
      let portion = log?.log.take()
      unlockState(bits)
      guard let log, let portion else { return }
      for (index, event) in portion.events.enumerated() {
        tell(event, portion.first + index, log)
      }
      let again = lockState()
      log.log.told()
      unlockState(again)
    }
  }

  /// Tells event `number`.
  private final func tell(_ transition: Transition, _ number: Int, _ log: ObservationLog) {
    switch transition {
    case .baseline(let property, let value):
      if log.shown[property] == nil { log.shown[property] = ask(property, assuming: value) }
    case .cancelled: show(.isCancelled, isCancelled, number, log)
    case .ready(let value): show(.isReady, ask(.isReady, assuming: value), number, log)
    case .executing(let value):
      show(.isExecuting, ask(.isExecuting, assuming: value), number, log)
    case .finished:
      show(.isFinished, isFinished, number, log)
      callFinishHandlers(log)
    case .announced(let property, let value): show(property, value, number, log)
    case .changed(let subject, let old, let new):
      forEachObserver(of: subject, number, log) { observer in
        if case .value(let observer) = observer { observer.tell(self, old, new, false) }
      }
    case .initial(let isOn, let observer, let value):
      if isOn.isOn { tellInitial(value, observer, log) }
    }
  }

  /// Calls `body` with each observer of `subject` whom event `number` concerns.
  private final func forEachObserver(
    of subject: ObservedSubject, _ number: Int, _ log: ObservationLog,
    _ body: (OperationObserver) -> Void
  ) {
    ObserverList.forEach { isFirst in
      let bits = lockState()
      let step = log.lists.next(subject, number, isFirst: isFirst)
      unlockState(bits)
      return step
    } _: {
      body($0)
    }
  }

  /// Tells an observer that has come what the property is.
  private final func tellInitial(
    _ value: (any Sendable)?, _ observer: OperationObserver, _ log: ObservationLog
  ) {
    switch observer {
    case .flag(let property, let handler):
      guard let value = log.shown[property] else { return }
      handler(self, ObservedChange(oldValue: value, newValue: value, isInitial: true))
    case .value(let observer):
      if let value = value ?? observer.read?(self) { observer.tell(self, value, value, true) }
    }
  }

  /// Tells a flag that differs from what was told last.
  private final func show(
    _ property: ObservedProperty, _ newValue: @autoclosure () -> Bool,
    _ number: Int, _ log: ObservationLog
  ) {
    guard let old = log.shown[property] else { return }  // nobody has ever asked
    let value = newValue()
    guard old != value else { return }
    log.shown[property] = value
    forEachObserver(of: .builtIn(property), number, log) { observer in
      guard case .flag(_, let handler) = observer else { return }
      handler(self, ObservedChange(oldValue: old, newValue: value))
    }
  }

  private final func callFinishHandlers(_ log: ObservationLog) {
    // Whoever comes from here on finds the operation finished.
    let bits = lockState()
    var handlers = log.finishHandlers
    log.finishHandlers = []
    unlockState(bits)
    handlers.reverse()
    // Each goes when it has been called.
    while let handler = handlers.popLast() { handler(self) }
  }

  /// The value of the getter, which a subclass may override, when the runtime's own value is
  /// `value`.
  private final func ask(_ property: ObservedProperty, assuming value: Bool) -> Bool {
    let record = ThreadRecord.current
    let outer = record.valueBeingTold
    record.valueBeingTold = ValueBeingTold(operation: word)
    defer { record.valueBeingTold = outer }
    switch property {
    case .isReady: record.valueBeingTold?.isReady = value
    case .isExecuting: record.valueBeingTold?.isExecuting = value
    default: break
    }
    return currentValue(of: property)
  }
}

/// Tells an operation that one of its dependencies has finished, if it is still there.
final class ReadinessProbe {
  private weak var operation: Operation?

  private init(_ operation: Operation) { self.operation = operation }

  func tell() { operation?.dependencyEnded() }

  /// A record for the list of a dependency of `operation`.
  static func makeRecord(_ operation: Operation) -> RecordPointer {
    let probe = unsafe Unmanaged.passRetained(ReadinessProbe(operation))
    let record = RecordPointer.allocate(capacity: 1)
    unsafe record.initialize(to: SuccessorRecord(probe: UInt(bitPattern: probe.toOpaque())))
    return unsafe record
  }

  /// The probe at `word`.
  static func reference(_ word: UInt) -> Unmanaged<ReadinessProbe> {
    // SAFETY: the word comes from `makeRecord`, and the record keeps the probe.
    unsafe Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: word).unsafelyUnwrapped)
  }

  /// Frees a record that is in no list any more.
  static func free(_ record: RecordPointer) {
    unsafe reference(record.pointee.owner).release()
    unsafe record.deinitialize(count: 1)
    unsafe record.deallocate()
  }
}
