// SPDX-License-Identifier: Apache-2.0

import Operations

extension CostCase {
  /// Handlers, waiting tasks, conditions and resources.
  static let ofNotices: [CostCase] = [
    .call("onFinish", among: "handlers") { stage, items, _ in
      let operation = Empty()
      for _ in 0..<items { operation.onFinish { _ in } }
      return Pile(
        call: { _ in operation.onFinish { _ in } },
        end: { stage.queue().addOperations([operation], waitUntilFinished: true) })
    },
    // Changes are told to those who observe them, and handlers of the finish do not.
    .call("queuePriority-beside-handlers", among: "handlers") { stage, items, _ in
      let operation = Empty()
      for _ in 0..<items { operation.onFinish { _ in } }
      return Pile(
        call: { number in operation.queuePriority = number.isMultiple(of: 2) ? .high : .low },
        end: { operation.start() })
    },
    .call("finished", among: "waiting tasks", mostBytes: 2048) { stage, items, _ in
      let operation = Empty()
      let done = Operation()
      // One more than there are tasks: what ends them all is the operation after the last.
      let tasks = (0..<items).map { _ in Task { await operation.finished() } }
      let last = Task {
        for task in tasks { await task.value }
        done.cancelAndFinish()
      }
      return Pile(
        call: { _ in Task { await operation.finished() } },
        end: {
          stage.queue().addOperations([operation], waitUntilFinished: true)
          done.waitUntilFinished()
          last.cancel()
        })
    },
    .whole("finished-queue", of: "waiting tasks", mostBytes: 2048) { stage, items in
      let queue = stage.members(1)
      let done = Operation()
      let tasks = (0..<items).map { _ in Task { await queue.finished() } }
      Task {
        for task in tasks { await task.value }
        done.cancelAndFinish()
      }
      return Pile(end: {
        CostStage.drain(queue)
        done.waitUntilFinished()
      })
    },
    .call("addReadinessCondition", among: "operations behind one gate", mostBytes: 1024) {
      stage, items, _ in
      let queue = stage.queue()
      let gate = ReadinessGate()
      func add() {
        let operation = Empty()
        operation.addReadinessCondition(gate)
        queue.addOperation(operation)
      }
      for _ in 0..<items { add() }
      return Pile(
        call: { _ in add() },
        end: {
          gate.open()
          queue.waitUntilAllOperationsAreFinished()
        })
    },
    .linear("signal", among: "operations behind one gate", mostBytes: 1024) { stage, items, _ in
      let queue = stage.queue()
      let gate = ReadinessGate()
      for _ in 0..<items {
        let operation = Empty()
        operation.addReadinessCondition(gate)
        queue.addOperation(operation)
      }
      return Pile(
        // A few of them stand for the others.
        call: { number in if number.isMultiple(of: 100) { gate.signal() } },
        end: {
          gate.open()
          queue.waitUntilAllOperationsAreFinished()
        })
    },
    .call("require", among: "operations that need one resource", mostBytes: 1024) {
      stage, items, _ in
      let queue = stage.members(0)
      let resource = OperationResource(name: "scarce")
      func add() {
        let operation = Empty()
        operation.require(resource)
        queue.addOperation(operation)
      }
      for _ in 0..<items { add() }
      return Pile(call: { _ in add() }, end: { CostStage.drain(queue) })
    },
    // Each has a cold table, in which the time of its readiness is noted.
    .whole("eventHandler", of: "members", mostBytes: 640) { stage, items in
      let queue = stage.queue()
      queue.eventHandler = { _ in }
      queue.isSuspended = true
      for _ in 0..<items { queue.addOperation(Empty()) }
      return Pile(end: { CostStage.drain(queue) })
    },
  ]
}
