// SPDX-License-Identifier: Apache-2.0

import Operations
import OperationsDiagnosis

extension CostCase {
  /// Calls of a queue among its members, barriers and other queues.
  static let ofQueues: [CostCase] = [
    .call("addOperation", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(call: { _ in queue.addOperation(Empty()) }, end: { CostStage.drain(queue) })
    },
    .call("addOperation-limited", among: "members") { stage, items, _ in
      let queue = stage.members(items, limit: 1)
      return Pile(call: { _ in queue.addOperation(Empty()) }, end: { CostStage.drain(queue) })
    },
    .call("addOperation-closure", among: "members") { stage, items, _ in
      let queue = stage.queue()
      queue.isSuspended = true
      for _ in 0..<items { queue.addOperation {} }
      return Pile(call: { _ in queue.addOperation {} }, end: { CostStage.drain(queue) })
    },
    .call("addOperation-in-order", among: "members") { stage, items, _ in
      let queue = OperationQueue(scheduler: stage.scheduler, startsInOrder: true)
      queue.isSuspended = true
      for _ in 0..<items { queue.addOperation(Empty()) }
      return Pile(call: { _ in queue.addOperation(Empty()) }, end: { CostStage.drain(queue) })
    },
    .call("addOperations", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(
        call: { _ in
          queue.addOperations((0..<8).map { _ in Empty() }, waitUntilFinished: false)
        },
        end: { CostStage.drain(queue) })
    },
    .call("tryAddOperation", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(
        call: { _ in
          do {
            try queue.tryAddOperation(Empty())
            try queue.tryAddOperations([Empty()], validating: true)
          } catch { fatalError("\(error)") }
        }, end: { CostStage.drain(queue) })
    },
    .call("getters-queue", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(
        call: { _ in
          precondition(queue.name != nil && !queue.description.isEmpty && queue.isSuspended)
          precondition(queue.qualityOfService == .default && !queue.startsInOrder)
          precondition(queue.maxConcurrentOperationCount < 0 && queue.eventHandler == nil)
          precondition(queue.blockingPolicy == .automatic && queue.blockingCounters.helped == 0)
          precondition(queue.progressCounter.fractionCompleted == 0)
          precondition(OperationQueue.current == nil && queue == queue && queue.hashValue != 0)
        }, end: { CostStage.drain(queue) })
    },
    .call("setters-queue", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(
        call: { number in
          queue.name = "renamed"
          queue.qualityOfService = .default
          queue.blockingPolicy = .automatic
          queue.progressCounter.completedUnitCount = number
        }, end: { CostStage.drain(queue) })
    },
    .linear("qualityOfService-queue", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(
        // A few of them stand for the others.
        call: { number in if number.isMultiple(of: 100) { queue.qualityOfService = .utility } },
        end: { CostStage.drain(queue) })
    },
    .whole("invalidate-queue", of: "members") { stage, items in
      let queue = stage.members(items)
      return Pile(end: {
        queue.invalidate()
        queue.waitUntilAllOperationsAreFinished()
      })
    },
    .call("addBarrierBlock", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(call: { _ in queue.addBarrierBlock {} }, end: { CostStage.drain(queue) })
    },
    .call("addBarrierBlock-barriers", among: "barriers", mostBytes: 1024) { stage, items, _ in
      let queue = stage.queue()
      queue.isSuspended = true
      for _ in 0..<items { queue.addBarrierBlock {} }
      return Pile(call: { _ in queue.addBarrierBlock {} }, end: { CostStage.drain(queue) })
    },
    .call("run-before-barriers", among: "barriers", mostBytes: 1024) { stage, items, calls in
      let queue = stage.queue()
      queue.isSuspended = true
      // The operations that run while the barriers wait.
      for _ in 0..<calls { queue.addOperation(Empty()) }
      for _ in 0..<items { queue.addBarrierBlock {} }
      return Pile(end: { CostStage.drain(queue) })
    },
    .call("run-between-barriers", among: "barriers", mostBytes: 1024) { stage, items, _ in
      let queue = stage.queue()
      queue.isSuspended = true
      for _ in 0..<items { queue.addBarrierBlock {} }
      return Pile(call: { _ in queue.addOperation(Empty()) }, end: { CostStage.drain(queue) })
    },
    .call("operationCount", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(
        call: { _ in precondition(queue.operationCount == items) }, end: { CostStage.drain(queue) })
    },
    .whole("operations", of: "members") { stage, items in
      let queue = stage.members(items)
      return Pile(end: {
        precondition(queue.operations.count == items)
        CostStage.drain(queue)
      })
    },
    .whole("cancelAllOperations", of: "members") { stage, items in
      let queue = stage.members(items)
      return Pile(end: {
        queue.cancelAllOperations()
        CostStage.drain(queue)
      })
    },
    .whole("cancelAllOperations-held", of: "members") { stage, items in
      let (queue, gate) = stage.held(items)
      return Pile(end: {
        queue.cancelAllOperations()
        CostStage.drain(queue)
        gate.cancelAndFinish()
      })
    },
    .call("isSuspended", among: "members") { stage, items, _ in
      let (queue, gate) = stage.held(items)
      return Pile(
        call: { number in queue.isSuspended = number.isMultiple(of: 2) },
        end: {
          gate.cancelAndFinish()
          CostStage.drain(queue)
        })
    },
    .call("maxConcurrentOperationCount", among: "members") { stage, items, _ in
      let queue = stage.members(items, limit: 1)
      return Pile(
        call: { number in queue.maxConcurrentOperationCount = 1 + number % 2 },
        end: { CostStage.drain(queue) })
    },
    .whole("first-limit", of: "members") { stage, items in
      let queue = stage.members(items)
      return Pile(end: {
        queue.maxConcurrentOperationCount = 2
        CostStage.drain(queue)
      })
    },
    .call("wait-queue", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(
        call: { _ in precondition(!queue.wait(timeout: .zero)) }, end: { CostStage.drain(queue) })
    },
    .whole("stallReport", of: "members", mostBytes: 512) { stage, items in
      let queue = stage.members(items)
      return Pile(end: {
        precondition(!queue.stallReport().isEmpty)
        CostStage.drain(queue)
      })
    },
    .call("init-queue", among: "queues", mostBytes: 4096) { stage, items, _ in
      let queues = (0..<items).map { _ in stage.members(1) }
      return Pile(
        call: { _ in CostStage.drain(stage.members(1)) },
        // All are let go before the first wait: how long a worker looks for work between two
        // differs from run to run.
        end: { CostStage.drain(queues) })
    },
  ]
}
