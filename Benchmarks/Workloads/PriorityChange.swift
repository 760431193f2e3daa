// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// Pending operations of low priority, of which every tenth is raised to very high while it waits.
///
/// Stresses: finding an operation where it is queued, and taking it out of its place. Does not
/// show: changes of operations that run. The queue has its workers held while priorities change;
/// run is the changes and the way until it is quiet. `inversion` is the time that raised operations
/// waited while others began.
package final class PriorityChange: Workload {
  private let storage: SlotStorage
  private let started: StampStorage

  init(count: Int) throws(WorkloadError) {
    storage = try SlotStorage(for: "priority-change", count: count)
    started = try StampStorage(for: "priority-change", count: count)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (slots, stamps, count) = (storage.slots, started.stamps, storage.count)
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    queue?.isSuspended = true
    var operations: [Operation] = (0..<count).map { index in
      let operation = BlockOperation {
        stamps[index] = MonotonicClock.nanoseconds()
        slots.increment(index)
      }
      operation.queuePriority = .low
      return operation
    }
    queue?.addOperations(operations, waitUntilFinished: false)
    recorder.built()
    for index in stride(from: 0, to: count, by: 10) {
      operations[index].queuePriority = .veryHigh
    }
    let begin = MonotonicClock.nanoseconds()
    queue?.isSuspended = false
    try TimedIteration.wait(for: queue, "priority-change")
    withExtendedLifetime((queue, operations)) { recorder.ran() }
    operations = []
    queue = nil
    recorder.released()
    try storage.checkIteration(of: "priority-change")
    let score = PriorityScore(
      priorities: (0..<count).map { $0 % 10 == 0 ? .veryHigh : .low },
      submitted: (0..<count).map { _ in begin }, started: started.values)
    recorder.value("inversion", Double(score.inversion) / Double(count))
  }
}

extension WorkloadDescription {
  /// Priorities that change while operations wait.
  package static let priorityChange = WorkloadDescription(
    name: "priority-change",
    summary: "every tenth pending operation is raised from low to very high before it starts",
    notShown: "changes of operations that run",
    tags: ["throughput", "priority"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "n", summary: "pending operations", smoke: 100, quick: 5000, real: 50_000,
        legal: 1...10_000_000)
    ],
    metrics: ["inversion"],
    make: { parameters throws(WorkloadError) in try PriorityChange(count: parameters["n"]) })
}
