// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// An urgent operation that waits for one of low priority, which stands behind a crowd of normal
/// ones.
///
/// Stresses: inversion through a dependency. Does not show: throughput; the crowd holds its workers
/// on purpose. A scheduler that lets a dependency inherit priority starts the urgent operation
/// soon, any other after the crowd: `latency` is from the addition of all to the start of the
/// urgent one.
package final class PriorityInversion: Workload {
  private let crowd: Int
  private let hold: UInt64
  private let storage: SlotStorage
  private let started: StampStorage

  init(crowd: Int, hold: Int) throws(WorkloadError) {
    self.crowd = crowd
    self.hold = UInt64(hold)
    storage = try SlotStorage(for: "priority-inversion", count: crowd + 2)
    started = try StampStorage(for: "priority-inversion", count: crowd + 2)
  }

  package var operationsPerIteration: Int { crowd + 2 }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (slots, stamps, crowd) = (storage.slots, started.stamps, crowd)
    let hold = hold * UInt64(max(scheduler.workerCount, 1))
    var priorities = [Operation.QueuePriority](repeating: .normal, count: crowd)
    priorities += [.low, .high]
    var begin: UInt64 = 0
    try TimedIteration.run(
      "priority-inversion", on: scheduler, recorder: &recorder,
      edges: storage.isFirstIteration ? 1 : nil
    ) {
      let operations: [Operation] = priorities.enumerated().map { index, priority in
        let operation = BlockOperation {
          stamps[index] = MonotonicClock.nanoseconds()
          let runs = slots.increment(index)
          if index == crowd + 1 { slots.expect(crowd, at: runs) }
          if index < crowd { WorkerHold.spin(nanoseconds: hold) }
        }
        operation.queuePriority = priority
        return operation
      }
      operations.makeDependent(operations[crowd + 1], on: crowd)
      begin = MonotonicClock.nanoseconds()
      return operations
    }
    try storage.checkIteration(of: "priority-inversion")
    let times = started.values
    recorder.latency(nanoseconds: times[crowd + 1] - begin)
    // The one that the urgent one waits for is as urgent.
    priorities[crowd] = .high
    let score = PriorityScore(
      priorities: priorities, submitted: priorities.map { _ in begin }, started: times)
    recorder.value("inversion", Double(score.inversion) / Double(crowd + 2))
  }
}

/// One operation of the lowest priority among streams of urgent ones that never end by themselves.
///
/// Stresses: starvation of the lowest level. Does not show: throughput. The streams add their next
/// operation from inside of the one before, up to a bound; `oldest-wait` is how long the lowest one
/// waits. A scheduler that goes by priority alone lets it wait for the whole stream.
package final class Starvation: Workload {
  private let length: Int
  private let hold: UInt64
  private let storage: TallyStorage
  private let started: StampStorage

  init(length: Int, hold: Int) throws(WorkloadError) {
    self.length = length
    self.hold = UInt64(hold)
    storage = try TallyStorage(for: "starvation")
    started = try StampStorage(for: "starvation", count: 1)
  }

  package var operationsPerIteration: Int { 2 * length + 1 }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (tally, stamps, hold) = (storage.tally, started.stamps, hold)
    let streams = 2 * max(scheduler.workerCount, 1)
    let total = 2 * length
    _ = storage.take()
    started.clear()
    var begin: UInt64 = 0
    try TimedIteration.run("starvation", on: scheduler, recorder: &recorder) { queue in
      let borrowed = BorrowedQueue(queue)
      begin = MonotonicClock.nanoseconds()
      for stream in 0..<min(streams, total) {
        Self.add(stream, streams, total, hold, tally, borrowed)
      }
      let lowest = BlockOperation {
        stamps[0] = MonotonicClock.nanoseconds()
        tally.count(checksum: UInt64(total), isLeaf: true, depth: 0)
      }
      lowest.queuePriority = .veryLow
      queue.addOperation(lowest)
    }
    var expected = TallyTotals()
    for index in 0...total {
      expected.count(
        checksum: UInt64(index), isLeaf: index == total || index + streams >= total, depth: 0)
    }
    try storage.check("starvation", expected: expected)
    recorder.value("oldest-wait", Double(started.stamps[0] - min(begin, started.stamps[0])))
  }

  private static func add(
    _ index: Int, _ streams: Int, _ total: Int, _ hold: UInt64, _ tally: Tally,
    _ queue: BorrowedQueue
  ) {
    let operation = BlockOperation {
      WorkerHold.spin(nanoseconds: hold)
      let next = index + streams
      tally.count(checksum: UInt64(index), isLeaf: next >= total, depth: 0)
      if next < total { add(next, streams, total, hold, tally, queue) }
    }
    operation.queuePriority = .high
    queue.addOperation(operation)
  }
}

extension WorkloadDescription {
  private static let holdAxis = Axis(
    name: "hold-ns", summary: "ns for which a body holds its worker", smoke: 500, quick: 5000,
    real: 5000, legal: 0...1_000_000_000)

  /// Inversion through a dependency.
  package static let priorityInversion = WorkloadDescription(
    name: "priority-inversion",
    summary: "an urgent operation that depends on a low one behind a crowd of normal ones",
    notShown: "throughput: the crowd holds its workers on purpose",
    tags: ["latency", "priority", "dependency"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "crowd", summary: "normal operations, hold-ns of all workers each", smoke: 50,
        quick: 500, real: 2000, legal: 1...1_000_000),
      holdAxis,
    ],
    metrics: ["latency", "inversion"],
    iterationSeconds: { Double($0["crowd"] * $0["hold-ns"]) * 1e-9 },
    make: { parameters throws(WorkloadError) in
      try PriorityInversion(crowd: parameters["crowd"], hold: parameters["hold-ns"])
    })

  /// Starvation of the lowest level.
  package static let starvation = WorkloadDescription(
    name: "starvation",
    summary: "how long the lowest priority waits among streams of urgent operations",
    notShown: "throughput: bodies hold their workers on purpose",
    tags: ["latency", "priority"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "length", summary: "pairs of urgent operations", smoke: 50, quick: 500, real: 2000,
        legal: 1...1_000_000),
      holdAxis,
    ],
    metrics: ["oldest-wait"],
    iterationSeconds: { Double(2 * $0["length"] * $0["hold-ns"]) * 1e-9 },
    make: { parameters throws(WorkloadError) in
      try Starvation(length: parameters["length"], hold: parameters["hold-ns"])
    })
}
