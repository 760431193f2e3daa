// SPDX-License-Identifier: Apache-2.0

import Operations

extension CostCase {
  /// Observers of operations, queues and progress: their coming and going, and changes beside them.
  static let ofObservers: [CostCase] = [
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
    .call("observe-initial", among: "observers of one operation", mostBytes: 1024) {
      stage, items, _ in
      let operation = Empty()
      let observations = (0..<items).map { _ in operation.observe(\.isFinished) { _, _ in } }
      return Pile(
        call: { _ in
          operation.observe(\.isFinished, options: [.initial, .new]) { _, _ in }.invalidate()
        },
        end: {
          for observation in observations { observation.invalidate() }
          operation.cancelAndFinish()
        })
    },
    .call("observe-queue-initial", among: "observers of one queue", mostBytes: 1024) {
      stage, items, _ in
      let queue = stage.members(0)
      let observations = (0..<items).map { _ in queue.observe(\.isSuspended) { _, _ in } }
      return Pile(
        call: { _ in
          queue.observe(\.isSuspended, options: [.initial, .new]) { _, _ in }.invalidate()
        },
        end: {
          for observation in observations { observation.invalidate() }
          CostStage.drain(queue)
        })
    },
    // Each change is told to one, which goes and is replaced while it is being told.
    .call("invalidate-when-told", among: "observers of one operation", mostBytes: 1024) {
      stage, items, _ in
      let operation = Empty()
      let observations = (0..<items).map { _ in operation.observe(\.isFinished) { _, _ in } }
      let priority = Operation.QueuePriority.self
      return Pile(
        call: { number in
          let other = operation.observe(\.isFinished) { _, _ in }
          let told = operation.observe(\.queuePriority) { _, _ in other.invalidate() }
          operation.queuePriority = number.isMultiple(of: 2) ? priority.high : priority.low
          told.invalidate()
        },
        end: {
          for observation in observations { observation.invalidate() }
          operation.cancelAndFinish()
        })
    },
    .call("invalidate-when-told-queue", among: "observers of one queue", mostBytes: 1024) {
      stage, items, _ in
      let queue = stage.members(0)
      let observations = (0..<items).map { _ in queue.observe(\.isSuspended) { _, _ in } }
      return Pile(
        call: { number in
          let other = queue.observe(\.isSuspended) { _, _ in }
          let told = queue.observe(\.name) { _, _ in other.invalidate() }
          queue.name = number.isMultiple(of: 2) ? "even" : "odd"
          told.invalidate()
        },
        end: {
          for observation in observations { observation.invalidate() }
          CostStage.drain(queue)
        })
    },
    .call("queuePriority-beside-observers", among: "observers of the finish", mostBytes: 1024) {
      stage, items, _ in
      let operation = Empty()
      let observations = (0..<items).map { _ in operation.observe(\.isFinished) { _, _ in } }
      let told = operation.observe(\.queuePriority) { _, _ in }
      return Pile(
        call: { number in operation.queuePriority = number.isMultiple(of: 2) ? .high : .low },
        end: {
          withExtendedLifetime(told) {}
          for observation in observations { observation.invalidate() }
          operation.cancelAndFinish()
        })
    },
    .call("isSuspended-beside-observers", among: "observers of the name", mostBytes: 1024) {
      stage, items, _ in
      let queue = stage.members(0)
      let observations = (0..<items).map { _ in queue.observe(\.name) { _, _ in } }
      let told = queue.observe(\.isSuspended) { _, _ in }
      return Pile(
        call: { number in queue.isSuspended = number.isMultiple(of: 2) },
        end: {
          withExtendedLifetime(told) {}
          for observation in observations { observation.invalidate() }
          CostStage.drain(queue)
        })
    },
    .call("didChangeValue", among: "observers of another property", mostBytes: 1024) {
      stage, items, _ in
      let operation = WithProperties()
      let observations = (0..<items).map { _ in
        operation.observe(\WithProperties.second) { _, _ in }
      }
      let told = operation.observe(\WithProperties.first) { _, _ in }
      return Pile(
        call: { _ in
          operation.willChangeValue(for: \WithProperties.first)
          operation.didChangeValue(for: \WithProperties.first)
        },
        end: {
          withExtendedLifetime(told) {}
          for observation in observations { observation.invalidate() }
          operation.cancelAndFinish()
        })
    },
    // Observers of the members are told all of them, old and new.
    .linear("addOperation-observed", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      let observation = queue.observe(\.operationCount) { _, _ in }
      return Pile(
        call: { number in if number.isMultiple(of: 100) { queue.addOperation(Empty()) } },
        end: {
          observation.invalidate()
          CostStage.drain(queue)
        })
    },
  ]
}

/// Adds properties that can be observed.
private final class WithProperties: Operation, @unchecked Sendable {
  var first: Int { 1 }
  var second: Int { 2 }
}
