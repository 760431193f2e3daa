// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc

/// One step in the life of an operation in a queue, for profilers (contract 129).
public struct OperationEvent: Sendable {
  /// The step.
  public enum Phase: Sendable, CaseIterable {
    /// A queue has taken the operation.
    case added
    /// Its dependencies have finished, or it was cancelled.
    case ready
    /// A worker has taken it: limit and suspension let it pass.
    case dispatched
    /// Its body begins, or would if it had not been cancelled.
    case started
    /// It has finished.
    case ended
    /// Its completion block, if it has one, has returned.
    case completed
    /// It has left the queue.
    case removed
  }

  /// Whose life.
  public let operation: Operation
  /// Which step.
  public let phase: Phase
  /// Index of the worker on which it happened; −1 on other threads, and for `ready`.
  public let worker: Int
  /// Monotonic time, ns.
  public let nanoseconds: UInt64
  /// The higher of the operation's and the queue's level (contract 93).
  public let qualityOfService: QualityOfService
  /// Niceness of the thread that told it: what the system applies of that level (contract 95).
  public let niceness: Int
}

extension OperationQueue {
  /// Called with every event of operations that are added from now on; nil, the default, for none.
  ///
  /// On the thread where it happens, with no lock held; `ready` comes together with `dispatched`,
  /// with its own time. Per operation in order. The handler must be quick and must not wait.
  /// Operations of such a queue run on a longer path; those of others cost nothing.
  public var eventHandler: (@Sendable (OperationEvent) -> Void)? {
    get { extrasIfAny?.eventHandler.withLock { $0.take } }
    set {
      guard newValue != nil || hasExtras else { return }
      // What is let go of is released after the lock.
      let handler = QueueExtras.EventHandler(take: newValue)
      _ = extrasMade().eventHandler.withLock { exchange(&$0, with: handler) }
    }
  }

  /// Somebody takes events; asked without a copy of the handler, which could be the last.
  var takesEvents: Bool { extrasIfAny?.eventHandler.withLock { $0.take != nil } ?? false }
}

extension Operation {
  /// The operation became ready; under the edit lock, or before anybody else can start it.
  final func noteReadyTime(_ bits: UInt32) {
    if bits & StateBit.hasExtras != 0 { coldTable?.readyTime = MonotonicTime.nanoseconds() }
  }

  /// A worker is about to run the operation.
  final func traceBegin(_ queue: OperationQueue, _ worker: Int) {
    guard queue.takesEvents else { return }
    let now = MonotonicTime.nanoseconds()
    let ready = withColdTable { $0.readyTime } ?? 0
    trace(.ready, queue, -1, at: ready == 0 ? now : ready)
    trace(.dispatched, queue, worker, at: now)
    trace(.started, queue, worker)
  }

  /// Tells whoever takes events, to whom a barrier is no member.
  final func trace(
    _ phase: OperationEvent.Phase, _ queue: OperationQueue?, _ worker: Int, at time: UInt64? = nil
  ) {
    guard !isBarrier, let queue, let handler = queue.eventHandler else { return }
    handler(
      OperationEvent(
        operation: self, phase: phase, worker: worker,
        nanoseconds: time ?? MonotonicTime.nanoseconds(),
        qualityOfService: max(storedQualityOfService, queue.storedQualityOfService),
        niceness: Niceness.ofThisThread))
  }
}
