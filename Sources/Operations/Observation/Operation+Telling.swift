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
    noteReadyForGood(log)
    if bits & StateBit.skipped == 0 { noteFlag(.isExecuting, true, log) }
    // An operation that does not keep them lists no dependencies from here on.
    if bits & StateBit.retainsDependencies == 0, let listed = observedDependencies(bits),
      !listed.isEmpty
    {
      log.notices.note(.dependencies, from: listed, to: [Operation]())
    }
  }

  /// The operation has been sealed; waits for an editor, and returns the state.
  final func noteFinish() -> UInt32 {
    let bits = lockState()
    if let log = observationLog(bits) {
      noteReady(true, log)
      noteFlag(.isExecuting, false, log)
      noteFlag(.isFinished, true, log)
      log.notices.note { [self] in callFinishHandlers(log) }
    }
    unlockState(bits)
    return bits
  }

  /// `bits` says cancelled from here on.
  final func noteCancelled(_ bits: UInt32) {
    guard let log = observationLog(bits) else { return }
    noteFlag(.isCancelled, true, log)
    noteReadyForGood(log)
  }

  /// `bits` says finished before the start from here on.
  final func noteFinishRequested(_ bits: UInt32) {
    if let log = observationLog(bits) { noteReadyForGood(log) }
  }

  final func notePriority(from old: UInt32, to new: UInt32) {
    observationLog(new)?.notices.note(
      .queuePriority, from: Self.priority(old), to: Self.priority(new))
  }

  static func priority(_ bits: UInt32) -> QueuePriority {
    QueuePriority(band: .init(lowBitsOf: UInt(bits >> StateBit.bandShift)))
  }

  final func noteCompletionBlock(
    from old: (@Sendable () -> Void)?, to new: (@Sendable () -> Void)?, _ bits: UInt32
  ) {
    guard old != nil || new != nil else { return }
    observationLog(bits)?.notices.note(.completionBlock, from: old, to: new)
  }

  /// The dependencies, if anybody observes them; before a change.
  final func observedDependencies(_ bits: UInt32) -> [Operation]? {
    guard let log = observationLog(bits), log.notices.observes(.dependencies) else { return nil }
    return currentDependencies(bits)
  }

  /// A dependency was added or removed.
  final func noteDependencies(
    from listed: [Operation]?, with dependency: Operation, isAdded: Bool, _ bits: UInt32
  ) {
    guard let log = observationLog(bits) else { return }
    if let listed { log.notices.note(.dependencies, from: listed, to: currentDependencies(bits)) }
    if isAdded, !dependency.isSealed {
      log.awaited?.insert(dependency.word)
    } else {
      log.awaited?.remove(dependency.word)
    }
    noteReady(isBuiltInReady(log, bits), log)
  }

  private final func noteReady(_ isReady: Bool, _ log: ObservationLog) {
    guard log.awaited != nil, log.builtInReady != isReady else { return }
    log.builtInReady = isReady
    noteFlag(.isReady, isReady, log)
  }

  /// From here on neither dependencies nor conditions hold it back; those may be what has.
  private final func noteReadyForGood(_ log: ObservationLog) {
    guard log.awaited != nil else { return }
    log.builtInReady = true
    noteFlag(.isReady, true, log)
  }

  /// Readiness by dependencies alone.
  final func isBuiltInReady(_ log: ObservationLog, _ bits: UInt32) -> Bool {
    bits & StateBit.ignoresDependencies != 0 || log.awaited?.isEmpty ?? true
  }

  /// The runtime says this of a flag from here on; a subclass may say something else, and is asked
  /// when the event is told.
  final func noteFlag(_ property: ObservedProperty, _ value: Bool, _ log: ObservationLog) {
    let observers = log.notices.observers(of: property)
    if observers.isEmpty { return }
    log.notices.note { [self] in
      show(property, ask(property, assuming: value), to: observers, log)
    }
  }

  // MARK: Probes

  /// Has `dependency` tell this operation when it finishes.
  ///
  /// Without lock.
  final func probe(_ dependency: Operation) {
    let isTold =
      !dependency.isSealed
      && dependency.withObservationLog { log, _ in
        if dependency.isSealedForEditor { return false }
        log.probes.append(WeakOperation(operation: self))
        return true
      }
    if !isTold { dependencyEnded(dependency) }
  }

  /// The operation is sealed: those look again that depend on it and whose readiness is observed.
  final func tellProbes() {
    let probes = withColdTable { $0.observation.map { exchange(&$0.probes, with: []) } ?? [] }
    for probe in probes ?? [] { probe.operation?.dependencyEnded(self) }
  }

  /// A dependency has finished.
  private final func dependencyEnded(_ dependency: Operation) {
    let bits = lockState()
    if let log = observationLog(bits) {
      log.awaited?.remove(dependency.word)
      noteReady(isBuiltInReady(log, bits), log)
    }
    unlockState(bits)
    deliverTransitions()
  }

  /// `dependency` was added to an operation with extras; without lock.
  final func dependencyAdded(_ dependency: Operation) {
    if withObservationLogIfAny({ $0.awaited != nil }) == true { probe(dependency) }
    deliverTransitions()
  }

  // MARK: Telling; without lock

  /// As `deliverTransitions()`, when `bits` says that there may be something to tell.
  @inline(__always) final func deliverTransitions(_ bits: UInt32) {
    if bits & StateBit.hasExtras != 0 { deliverTransitions() }
  }

  /// Tells the observers what was noted, unless another thread is doing so and will find the rest.
  final func deliverTransitions() { withObservationLogIfAny { $0.notices }?.tell() }

  /// Tells a flag that differs from what was told last.
  final func show(
    _ property: ObservedProperty, _ value: Bool, to observers: [Observer], _ log: ObservationLog
  ) {
    guard let old = log.shown.updateValue(value, forKey: property), old != value else { return }
    for observer in observers { observer.tell(from: old, to: value) }
  }

  private final func callFinishHandlers(_ log: ObservationLog) {
    // Whoever comes from here on finds the operation finished.
    let bits = lockState()
    var handlers = exchange(&log.finishHandlers, with: [])
    unlockState(bits)
    handlers.reverse()
    // Each goes when it has been called.
    while let handler = handlers.popLast() { handler(self) }
  }

  /// The value of the getter, which a subclass may override, when the runtime's own value is
  /// `value`.
  final func ask(_ property: ObservedProperty, assuming value: Bool) -> Bool {
    let record = ThreadRecord.current
    let told = ValueBeingTold(operation: word, property: property, value: value)
    let outer = exchange(&record.valueBeingTold, with: told)
    defer { record.valueBeingTold = outer }
    return currentValue(of: property)
  }
}
