// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Synchronization

/// How much of a queue's work is done, in units that the user defines (contract 121).
///
/// Inert until a total is set; from then on each operation whose `main()` has ended adds one unit
/// when it leaves the queue. An operation with a `start()` of its own adds none, unless that calls
/// `super`, and one that was cancelled before it began adds none unless `countsCancelled` is set.
/// Any thread.
public final class ProgressCounter: Sendable {
  /// What has changed, with the new number.
  package enum Change: Sendable, Equatable {
    /// `completedUnitCount`.
    case completed(Int)
    /// `totalUnitCount`.
    case total(Int)
  }

  private struct State: Sendable {
    var total = 0
    var completed = 0
    var countsCancelled = false
    var log = TransitionLog<Change>()
    var observers = Observers()
  }
  private typealias Observers = ObserverList<@Sendable (Change) -> Void>
  private let state = Locked(State())

  init() {}

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
    observeChanges { if case .completed(let number) = $0 { handler(number) } }
  }

  /// As `observe(_:)`, for the total as well.
  package func observeChanges(_ handler: @escaping @Sendable (Change) -> Void) -> Observation {
    let isOn = ObserverSwitch()
    state.withLock { $0.observers.add(isOn, since: $0.log.nextNumber, handler) }
    return Observation(isOn) { [weak self] in
      let removed = self?.state.withLock { $0.observers.remove(isOn) }
      withExtendedLifetime(removed) {}
    }
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
      let (total, completed) = (state.total, state.completed)
      body(&state)
      if state.total != total { state.log.append(.total(state.total)) }
      if state.completed != completed { state.log.append(.completed(state.completed)) }
    }
    while let portion = state.withLock({ $0.log.take() }) {
      for (index, event) in portion.events.enumerated() {
        Observers.forEach { isFirst in
          state.withLock { $0.observers.next(portion.first + index, isFirst: isFirst) }
        } _: { handler in
          handler(event)
        }
      }
      state.withLock { $0.log.told() }
    }
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
    let kept = extras.progressBridge.withLock { bridge in
      if bridge == nil { bridge = made }
      return bridge
    }
    return kept as? Bridge
  }
}
