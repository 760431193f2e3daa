// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// Operations that are all queued before one may run.
///
/// Stresses: what a queued operation costs in memory and in building and releasing: `build`,
/// `release`, `peak-rss`, and with `--allocations` bytes and calls per operation. Does not show:
/// running; bodies are empty but for their mark. In the first iteration, the warm-up, those of a
/// graph check that the one before has run.
package final class Pending: Workload {
  private let storage: SlotStorage
  private let edges: Bool

  init(count: Int, edges: Bool) throws(WorkloadError) {
    storage = try SlotStorage(for: "pending", count: count)
    self.edges = edges
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let slots = storage.slots
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    queue?.isSuspended = true
    queue?.retainsFinishedDependencies = false
    var operations: [Operation] = []
    operations.reserveCapacity(storage.count)
    let checksOrder = edges && storage.isFirstIteration
    for index in 0..<storage.count {
      let parent = (index - 1) / 2
      let operation =
        checksOrder && index > 0
        ? BlockOperation { slots.expect(parent, at: slots.increment(index)) }
        : BlockOperation { slots.increment(index) }
      if edges, index > 0 { operations.makeDependent(operation, on: parent) }
      operations.append(operation)
    }
    let found = storage.isFirstIteration ? operations.edgeCount : nil
    queue?.addOperations(operations, waitUntilFinished: false)
    recorder.built()
    queue?.isSuspended = false
    try TimedIteration.wait(for: queue, "pending")
    withExtendedLifetime((queue, operations)) { recorder.ran() }
    operations = []
    queue = nil
    recorder.released()
    try TimedIteration.check(
      "pending", edges: found, expected: found.map { _ in edges ? storage.count - 1 : 0 })
    try storage.checkIteration(of: "pending")
  }
}

/// A steady number of operations, each of which is replaced by another when it has run.
///
/// Stresses: memory that is taken and given back all the time, by threads other than those that
/// took it: `peak-rss` and `minor-faults` must not grow with the length. Does not show: bursts.
package final class Churn: Workload {
  private let window: Int
  private let count: Int
  private let storage: TallyStorage

  init(window: Int, count: Int) throws(WorkloadError) {
    self.window = window
    self.count = count
    storage = try TallyStorage(for: "churn")
  }

  package var operationsPerIteration: Int { count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (tally, count, window) = (storage.tally, count, window)
    _ = storage.take()  // what an iteration that failed has left
    try TimedIteration.run("churn", on: scheduler, recorder: &recorder) { queue in
      let queue = BorrowedQueue(queue)
      for index in 0..<min(window, count) { Self.add(index, window, count, tally, queue) }
    }
    var expected = TallyTotals()
    for index in 0..<count {
      expected.count(checksum: UInt64(index), isLeaf: index + window >= count, depth: 0)
    }
    try storage.check("churn", expected: expected)
  }

  private static func add(
    _ index: Int, _ window: Int, _ count: Int, _ tally: Tally, _ queue: BorrowedQueue
  ) {
    queue.addOperation(
      BlockOperation {
        let next = index + window
        tally.count(checksum: UInt64(index), isLeaf: next >= count, depth: 0)
        if next < count { add(next, window, count, tally, queue) }
      } as Operation)
  }
}

extension WorkloadDescription {
  /// Operations that wait for the queue.
  package static let pending = WorkloadDescription(
    name: "pending",
    summary: "what queued operations cost in memory, building and releasing",
    notShown: "running: bodies are empty",
    tags: ["memory", "throughput"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "n", summary: "operations", smoke: 200, quick: 20_000, real: 1_000_000,
        legal: 1...100_000_000, warmUp: 100_000),
      Axis(
        name: "graph", summary: "whether each depends on one before", always: "no",
        legal: .words(["no", "yes"])),
    ],
    make: { parameters throws(WorkloadError) in
      try Pending(count: parameters["n"], edges: parameters.word("graph") == "yes")
    })

  /// A steady number of operations.
  package static let churn = WorkloadDescription(
    name: "churn",
    summary: "each operation adds the one that replaces it: memory must stay as it is",
    notShown: "bursts",
    tags: ["memory", "throughput"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "window", summary: "operations at a time", smoke: 10, quick: 1000, real: 1000,
        legal: 1...1_000_000),
      Axis(
        name: "n", summary: "operations", smoke: 200, quick: 20_000, real: 1_000_000,
        legal: 1...1_000_000_000),
    ],
    make: { parameters throws(WorkloadError) in
      try Churn(window: parameters["window"], count: parameters["n"])
    })
}
