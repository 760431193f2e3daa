// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import DispatchBackend
import Operations
import Scheduling
import ThreadPoolBackend
import WorkStealingBackend

/// What one operation costs while many others wait: a program for `scripts/scaling`.
///
///     ScalingFixture SCHEDULER ACTION WAITING ROUNDS
///
/// One worker. Each round makes WAITING operations that wait, does the action to them and lets them go. The last line is
/// `ns TOTAL ns OF BARE OBJECTS`, per operation of the last round: the whole round, and allocating and freeing as many
/// objects of the same size in the same way.
@main enum ScalingFixture {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 4, let waiting = Int(arguments[3]), let rounds = Int(arguments[4]),
      let action = Action(rawValue: arguments[2]), let scheduler = scheduler(arguments[1])
    else {
      fatalError(
        "usage: ScalingFixture dispatch|thread-pool|work-stealing|inline finish|cancel|count|enumerate "
          + "WAITING ROUNDS, not \(Array(arguments))")
    }
    var figures: [UInt64] = []
    for _ in 0..<rounds {
      figures = [
        time { round(action, waiting, scheduler) }, time { _ = (0..<waiting).map { _ in Bare() } },
      ]
    }
    let perOperation = figures.map { Double($0) / Double(waiting) }
    print("ns \(perOperation[0]) \(perOperation[1])")
  }

  private enum Action: String {
    case finish, cancel, count, enumerate
  }

  private static func scheduler(_ name: String) -> (any Scheduler)? {
    switch name {
    case "dispatch": DispatchScheduler(workers: 1)
    case "thread-pool": ThreadPoolScheduler(workers: 1)
    case "work-stealing": WorkStealingScheduler(workers: 1)
    case "inline": InlineScheduler()
    default: nil
    }
  }

  private static func time(_ body: () -> Void) -> UInt64 {
    let start = MonotonicTime.nanoseconds()
    body()
    return MonotonicTime.nanoseconds() - start
  }

  private static func round(_ action: Action, _ waiting: Int, _ scheduler: any Scheduler) {
    let queue = OperationQueue(scheduler: scheduler)
    // What is cancelled waits for an operation that never starts, for a suspended queue flushes nothing.
    let gate = Operation()
    queue.isSuspended = action != .cancel
    for _ in 0..<waiting {
      let operation = Empty()
      if action == .cancel { operation.addDependency(gate) }
      queue.addOperation(operation)
    }
    switch action {
    case .finish: break
    case .cancel: queue.cancelAllOperations()
    case .count: for _ in 0..<waiting { precondition(queue.operationCount == waiting) }
    case .enumerate: precondition(queue.operations.count == waiting)
    }
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    gate.cancelAndFinish()
  }
}

/// An operation that does nothing.
private final class Empty: Operation, @unchecked Sendable {
  override func main() {}
}

/// As large as an operation without fields of its own, and nothing else.
private final class Bare {
  var words = InlineArray<12, UInt>(repeating: 0)
}
