// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// Threads that add operations and threads that cancel the queue's, all at once.
///
/// Stresses: the paths of adding, starting and cancelling against each other. Does not show: the
/// cost of one of them alone. Each operation runs once, or is cancelled and does not run.
package final class CancelStorm: Workload {
  private let threads: Int
  private let count: Int
  private let storage: SlotStorage

  init(threads: Int, count: Int) throws(WorkloadError) {
    self.threads = threads
    self.count = count
    storage = try SlotStorage(for: "cancel-storm", count: threads * count)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (slots, count, threads) = (storage.slots, count, threads)
    let before = storage.values
    let operations: [Operation] = (0..<threads * count).map { index in
      BlockOperation { slots.increment(index) }
    }
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    let shared = queue
    let team = try ThreadTeam(2 * threads, for: "cancel-storm") { thread in
      if thread < threads {
        for index in thread * count..<(thread + 1) * count {
          shared?.addOperation(operations[index])
        }
      } else {
        // A request for each hundred operations.
        for _ in 0..<max(count / 100, 1) {
          shared?.cancelAllOperations()
          _ = WorkerHold.spin(nanoseconds: 2000)
        }
      }
    }
    recorder.built()
    team.go()
    team.join()
    try TimedIteration.wait(for: queue, "cancel-storm")
    withExtendedLifetime((queue, operations)) { recorder.ran() }
    queue = nil
    recorder.released()
    let wrong = operations.indices.count { index in
      let runs = storage.slots.value(index) &- before[index]
      return runs > 1 || (runs == 0 && !operations[index].isCancelled)
        || !operations[index].isFinished
    }
    guard wrong == 0 else {
      throw WrongAnswer(
        message:
          "cancel-storm: \(wrong) operations ran twice, or neither ran nor are cancelled, or "
          + "have not finished; expected none")
    }
  }
}

extension WorkloadDescription {
  /// Adding and cancelling from several threads.
  package static let cancelStorm = WorkloadDescription(
    name: "cancel-storm",
    summary: "threads that add operations beside threads that cancel all of them",
    notShown: "the cost of adding or of cancelling alone",
    tags: ["throughput", "cancellation", "contention"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "threads", summary: "adding threads, and as many cancelling", always: 2,
        legal: .numbers(1...64)),
      Axis(
        name: "n", summary: "operations of a thread", smoke: 200, quick: 5000, real: 50_000,
        legal: 1...1_000_000),
    ],
    make: { parameters throws(WorkloadError) in
      try CancelStorm(threads: parameters["threads"], count: parameters["n"])
    })
}
