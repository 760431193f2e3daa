// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives

/// How much of a queue's work is done, in units that the user defines (contract 121).
///
/// Inert until a total is set; from then on each operation whose `main()` has ended adds one unit
/// when it leaves the queue. An operation with a `start()` of its own adds none, unless that calls
/// `super`, and one that was cancelled before it began adds none unless `countsCancelled` is set.
/// Any thread.
public final class ProgressCounter: Sendable {
  /// What can be observed.
  package enum Units: Sendable { case total, completed }

  private struct State: Sendable {
    var total = 0
    var completed = 0
    var countsCancelled = false
  }
  private let state = Locked(State())
  private let notices = Notices<Units>()

  /// Units of the whole work; 0, the default, counts nothing.
  public var totalUnitCount: Int {
    get { state.withLock { $0.total } }
    set { change { $0.total = newValue } }
  }

  /// Units done; may be set to take work into account that is done elsewhere.
  public var completedUnitCount: Int {
    get { state.withLock { $0.completed } }
    set { change { $0.completed = newValue } }
  }

  /// Done / total, 0 while inert.
  public var fractionCompleted: Double {
    state.withLock { $0.total > 0 ? Double($0.completed) / Double($0.total) : 0 }
  }

  /// Whether operations that were cancelled before they began count as well, so that the total is
  /// reached.
  public var countsCancelled: Bool {
    get { state.withLock { $0.countsCancelled } }
    set { state.withLock { $0.countsCancelled = newValue } }
  }

  /// Calls `handler` with the number of units done whenever it changes, in order; dropping the
  /// result ends it.
  public func observe(_ handler: @escaping @Sendable (Int) -> Void) -> Observation {
    observe(.completed, handler)
  }

  /// As `observe(_:)`, for the total as well.
  package func observe(
    _ units: Units, _ handler: @escaping @Sendable (Int) -> Void
  ) -> Observation {
    let observer = Observer(.new) { (change: KeyValueChange<Int>) in
      if let number = change.newValue { handler(number) }
    }
    notices.add(observer, of: units)
    return Observation(observer) { [weak notices] in notices?.forgetOne(of: units) }
  }

  /// Calls `body` with total and completed units while neither can change.
  package func read(_ body: (_ total: Int, _ completed: Int) -> Void) {
    state.withLock { body($0.total, $0.completed) }
  }

  /// An operation has left its queue.
  func noteEnd(hasRun: Bool, wasSkipped: Bool) {
    change { state in
      guard state.total > 0, hasRun || (wasSkipped && state.countsCancelled) else { return }
      state.completed += 1
    }
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      let old = state
      body(&state)
      if state.total != old.total { notices.note(.total, from: old.total, to: state.total) }
      if state.completed != old.completed {
        notices.note(.completed, from: old.completed, to: state.completed)
      }
    }
    notices.tell()
  }
}

extension OperationQueue {
  /// How much of the work is done.
  ///
  /// `OperationsFoundation` has it as `progress`.
  public var progressCounter: ProgressCounter { extrasMade().progress }

  /// What a room above keeps for this queue; made by the first caller.
  package func progressBridge<Bridge: AnyObject & Sendable>(_ make: () -> Bridge) -> Bridge? {
    let extras = extrasMade()
    if let present = extras.progressBridge.withLock({ $0 }) { return present as? Bridge }
    let made = make()
    return extras.progressBridge.withLock { bridge in
      bridge = bridge ?? made
      return bridge as? Bridge
    }
  }
}
