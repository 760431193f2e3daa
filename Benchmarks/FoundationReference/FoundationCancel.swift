// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Workloads

/// Pending operations behind a suspended queue, cancelled all at once, as `Cancel` does.
final class FoundationCancel: ReferenceWorkload {
  private let storage: SlotStorage

  init(operations: Int) throws(WorkloadError) {
    storage = try SlotStorage(for: "cancel", count: operations)
  }

  var operationsPerIteration: Int { storage.count }

  func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    let slots = storage.slots
    recorder.begin()
    var queue: OperationQueue? = FoundationIteration.makeQueue(workers: workers)
    queue?.isSuspended = true
    var operations: [Operation] = []
    operations.reserveCapacity(storage.count)
    for index in 0..<storage.count {
      operations.append(BlockOperation(block: { slots.increment(index) }))
    }
    queue?.addOperations(operations, waitUntilFinished: false)
    recorder.built()
    queue?.cancelAllOperations()
    queue?.isSuspended = false
    queue?.waitUntilAllOperationsAreFinished()
    withExtendedLifetime((queue, operations)) { recorder.ran() }
    FoundationIteration.release(&operations)
    queue = nil
    recorder.released()
    if let difference = storage.difference(expected: 0) {
      throw WrongAnswer(message: "cancel on foundation: a cancelled body has run: \(difference)")
    }
  }
}
