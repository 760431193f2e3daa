// SPDX-License-Identifier: Apache-2.0

import Operations

extension CostCase {
  /// Handlers, observers, waiting tasks, conditions and resources.
  static let ofNotices: [CostCase] = [
    .call("onFinish", among: "handlers") { stage, items, _ in
      let operation = Empty()
      for _ in 0..<items { operation.onFinish { _ in } }
      return Pile(
        call: { _ in operation.onFinish { _ in } },
        end: { stage.queue().addOperations([operation], waitUntilFinished: true) })
    },
    .call("observe-operation", among: "observers of one operation", mostBytes: 1024) {
      stage, items, _ in
      let operation = Empty()
      var observations: [Observation] = []
      for _ in 0..<items { observations.append(operation.observe(\.isFinished) { _, _ in }) }
      return Pile(
        call: { _ in observations.append(operation.observe(\.isFinished) { _, _ in }) },
        end: {
          stage.queue().addOperations([operation], waitUntilFinished: true)
          observations = []
        })
    },
    .call("invalidate", among: "observers of one operation", mostBytes: 1024) { stage, items, _ in
      let operation = Empty()
      let observations = (0..<items).map { _ in operation.observe(\.isFinished) { _, _ in } }
      return Pile(
        call: { _ in operation.observe(\.isFinished) { _, _ in }.invalidate() },
        end: {
          for observation in observations { observation.invalidate() }
          operation.cancelAndFinish()
        })
    },
    .call("observe-queue", among: "observers of one queue", mostBytes: 1024) { stage, items, _ in
      let queue = stage.members(0)
      let observations = (0..<items).map { _ in queue.observe(\.isSuspended) { _, _ in } }
      return Pile(
        call: { _ in queue.observe(\.isSuspended) { _, _ in }.invalidate() },
        end: {
          for observation in observations { observation.invalidate() }
          CostStage.drain(queue)
        })
    },
    .call("observe-progress", among: "observers of the progress", mostBytes: 1024) {
      stage, items, _ in
      let queue = stage.members(0)
      let observations = (0..<items).map { _ in queue.progressCounter.observe { _ in } }
      return Pile(
        call: { _ in queue.progressCounter.observe { _ in }.invalidate() },
        end: {
          for observation in observations { observation.invalidate() }
          CostStage.drain(queue)
        })
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
    .whole("eventHandler", of: "members") { stage, items in
      let queue = stage.queue()
      queue.eventHandler = { _ in }
      queue.isSuspended = true
      for _ in 0..<items { queue.addOperation(Empty()) }
      return Pile(end: { CostStage.drain(queue) })
    },
  ]
}
