// SPDX-License-Identifier: Apache-2.0

internal import Traces

/// How many operations were running and how many were ready and waiting, from step to step.
struct OperationCounts {
  /// From `time` on.
  struct Step: Equatable {
    var time: Int64
    /// On a thread.
    var running: Int
    /// Ready, and not begun.
    var waiting: Int
  }

  /// One step for each time at which a count changed.
  let steps: [Step]

  /// O(operations log operations).
  init(_ trace: Trace) {
    var changes: [(time: Int64, running: Int, waiting: Int)] = []
    changes.reserveCapacity(4 * trace.operations.count)
    for operation in trace.operations {
      if let started = operation.started {
        changes.append((started, 1, 0))
        changes.append((operation.threadEnd(in: trace), -1, 0))
      }
      // Where the clocks of two threads put the start before the ready, nothing waited.
      if let ready = operation.ready, let started = operation.started, ready < started {
        changes.append((ready, 0, 1))
        changes.append((started, 0, -1))
      }
    }
    changes.sort { $0.time < $1.time }
    var steps: [Step] = []
    var running = 0
    var waiting = 0
    for (place, change) in changes.enumerated() {
      running += change.running
      waiting += change.waiting
      let isLast = place + 1 == changes.count || changes[place + 1].time > change.time
      guard isLast, steps.last?.running != running || steps.last?.waiting != waiting else {
        continue
      }
      steps.append(Step(time: change.time, running: running, waiting: waiting))
    }
    self.steps = steps
  }

  /// At most `count` steps: of each part of the run the last one, which is what holds behind it.
  func thinned(to count: Int) -> [Step] {
    guard steps.count > count, let first = steps.first, let last = steps.last else { return steps }
    let length = (last.time - first.time) / Int64(count) + 1
    var kept: [Step] = []
    for step in steps {
      if let previous = kept.last,
        (previous.time - first.time) / length == (step.time - first.time) / length
      {
        kept[kept.count - 1] = step
      } else {
        kept.append(step)
      }
    }
    return kept
  }
}
