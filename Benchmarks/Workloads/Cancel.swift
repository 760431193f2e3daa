// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// `n` pending operations behind a suspended queue, cancelled all at once.
///
/// Stresses: enumeration of a queue's members, the way of an operation to its finish without a
/// body. Does not show: cancelling one operation among many, or operations that run while they are
/// cancelled. Build ends with every operation pending in the suspended queue. Run is
/// `cancelAllOperations()`, resuming the queue, through which cancelled operations leave, and the
/// wait until it is quiet: nanoseconds per cancelled operation. Wall includes construction, adding
/// and release. No body may run.
package final class Cancel: Workload {
  let storage: SlotStorage
  private var isFirstIteration = true

  init(operations: Int) throws(WorkloadError) {
    storage = try SlotStorage(for: "cancel", count: operations)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let slots = storage.slots
    let count = storage.count
    recorder.begin()
    var queue: OperationQueue? = OperationQueue(scheduler: scheduler)
    queue?.isSuspended = true
    var operations: [Operation] = []
    operations.reserveCapacity(count)
    for index in 0..<count {
      operations.append(BlockOperation { slots.increment(index) })
    }
    queue?.addOperations(operations, waitUntilFinished: false)
    recorder.built()
    queue?.cancelAllOperations()
    queue?.isSuspended = false
    try TimedIteration.wait(for: queue, "cancel")
    withExtendedLifetime((queue, operations)) { recorder.ran() }
    if isFirstIteration { try checkStates(operations) }
    isFirstIteration = false
    operations = []
    queue = nil
    recorder.released()
    if let difference = storage.difference(expected: 0) {
      throw WrongAnswer(message: "cancel: a cancelled body has run: \(difference)")
    }
  }

  /// In the first iteration, the warm-up, only: walking the operations belongs to no figure.
  private func checkStates(_ operations: [Operation]) throws(WrongAnswer) {
    let wrong = operations.count { !$0.isCancelled || !$0.isFinished }
    guard wrong == 0 else {
      throw WrongAnswer(
        message: "cancel: \(wrong) of \(operations.count) operations are not both cancelled and "
          + "finished after the queue is quiet; expected all")
    }
  }
}

extension WorkloadDescription {
  /// Cancelling pending operations.
  package static let cancel = WorkloadDescription(
    name: "cancel",
    summary: "cancelling every pending operation of a queue until it is quiet (run)",
    notShown: "cancelling single operations, or operations that run meanwhile",
    tags: ["throughput", "cancellation"],
    axes: [
      Axis(
        name: "n", summary: "pending operations", smoke: 200, quick: 10_000, real: 100_000,
        legal: 1...100_000_000)
    ],
    make: { parameters throws(WorkloadError) in try Cancel(operations: parameters["n"]) })
}
