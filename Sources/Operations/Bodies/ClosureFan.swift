// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import Synchronization

/// The closures of one block operation that workers share: each takes the next one until none is
/// left.
///
/// Nobody waits for the others: whoever returns from the last closure finishes the operation. A
/// helper that comes too late finds an empty list.
final class ClosureFan: Sendable {
  private struct Rest: Sendable {
    /// The last one first.
    var closures: [@Sendable () -> Void]
    /// Nil once it has finished, so that a late helper does not keep it.
    var operation: Operation?
  }

  private let rest: Locked<Rest>
  private let unreturned: Atomic<Int>
  private let queue: OperationQueue

  /// At least two closures of an operation that executes in `queue`.
  init(
    lastFirst closures: [@Sendable () -> Void], of operation: Operation, in queue: OperationQueue
  ) {
    rest = Locked(Rest(closures: closures, operation: operation))
    unreturned = Atomic(closures.count)
    self.queue = queue
    // From here on the operation is finished by the fan.
    _ = operation.changeState(StateChange.endItself)
  }

  /// Calls helpers, as many as there are workers and closures for, and runs closures until none is
  /// left.
  ///
  /// In the operation's `main()`.
  func runAll() {
    let (count, band) = rest.withLock { ($0.closures.count, $0.operation?.band ?? .normal) }
    var helpers = JobChain()
    for _ in 0..<min(count, queue.scheduler.workerCount) - 1 {
      helpers.append(ClosureJob.make(band: band) { self.help() })
    }
    queue.scheduler.submit(helpers)
    while runNext() {}
  }

  private func help() {
    guard let operation = rest.withLock({ $0.operation }) else { return }
    operation.runPart(queue, .current) { while runNext() {} }
  }

  /// False when no closure was left to take.
  private func runNext() -> Bool {
    do {
      guard let closure = rest.withLock({ $0.closures.popLast() }) else { return false }
      closure()
    }
    // Its captures are gone here.
    // acquire and release, edge ClosureReturned: the last one to return has what all closures
    // wrote.
    let left = unreturned.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
    if left == 0 { rest.withLock { $0.operation.take() }?.finishFromAnywhere() }
    return true
  }
}
