// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization

extension CostCase {
  /// Calls of one operation in a queue with many members.
  static let ofMembers: [CostCase] = [
    onMember("queuePriority") { operation, number in
      operation.queuePriority = number.isMultiple(of: 2) ? .high : .low
    },
    onMember("qualityOfService") { operation, number in
      operation.qualityOfService = number.isMultiple(of: 2) ? .utility : .background
    },
    onMember("name") { operation, _ in operation.name = nil },
    onMember("completionBlock") { operation, _ in operation.completionBlock = nil },
    onMember("isReady") { operation, _ in precondition(operation.isReady) },
    onMember("wait-operation") { operation, _ in precondition(!operation.wait(timeout: .zero)) },
    onMember("getters") { operation, _ in
      precondition(!operation.isCancelled && !operation.isExecuting && !operation.isFinished)
      precondition(!operation.isAsynchronous)
      precondition(operation.queuePriority == .normal && operation.qualityOfService == .default)
      precondition(operation.effectiveQualityOfService == .default)
      precondition(operation.threadPriority == 0.5 && operation.serviceReport == nil)
      precondition(operation.name == nil && operation.completionBlock == nil)
      precondition(operation.dependencies.isEmpty && !operation.description.isEmpty)
      precondition(operation.requiredResources.isEmpty && operation.readinessConditions.isEmpty)
      precondition(!operation.cancelDependentsOnCancel && !operation.isSkippedWithoutSlot)
      precondition(operation == operation && operation.hashValue != 0)
    },
    onMember("setters") { operation, number in
      operation.threadPriority = number.isMultiple(of: 2) ? 0.4 : 0.6
      operation.retainsFinishedDependencies = number.isMultiple(of: 2)
      operation.cancelDependentsOnCancel = false
    },
    onMember("announce") { operation, _ in
      operation.willChangeValue(forKey: "isReady")
      operation.didChangeValue(forKey: "isReady")
    },
    onMember("edit-edge") { operation, _ in
      let dependency = Operation()
      operation.addDependency(dependency)
      operation.removeDependency(dependency)
    },
    onMember("observe") { operation, _ in
      operation.observe(\.isFinished) { _, _ in }.invalidate()
    },
    .call("cancel", among: "members") { stage, items, calls in
      let queue = stage.members(items)
      let victims = (0..<calls).map { _ in Empty() }
      queue.addOperations(victims, waitUntilFinished: false)
      return Pile(call: { number in victims[number].cancel() }, end: { CostStage.drain(queue) })
    },
    .call("start", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(call: { _ in Empty().start() }, end: { CostStage.drain(queue) })
    },
    .call("tryStart", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(
        call: { _ in do { try Empty().tryStart() } catch { fatalError("\(error)") } },
        end: { CostStage.drain(queue) })
    },
    .call("cancelAndFinish", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(call: { _ in Empty().cancelAndFinish() }, end: { CostStage.drain(queue) })
    },
    // Nothing may be left of an earlier wait.
    .whole("wait-operation-again", of: "timed waits for one operation", mostBytes: 1) {
      stage, items in
      let queue = stage.members(0)
      let operation = Empty()
      queue.addOperation(operation)
      for _ in 0..<items { precondition(!operation.wait(timeout: .zero)) }
      return Pile(end: { CostStage.drain(queue) })
    },
    .call("deinit", among: "members") { stage, items, _ in
      let queue = stage.members(items)
      return Pile(call: { _ in _ = Empty() }, end: { CostStage.drain(queue) })
    },
    .call("run-among-waiting", among: "members") { stage, items, _ in
      let (queue, gate) = stage.held(items)
      return Pile(
        call: { _ in queue.addOperations([Empty()], waitUntilFinished: true) },
        end: {
          gate.cancelAndFinish()
          CostStage.drain(queue)
        })
    },
    // Nothing may be left of an earlier change.
    .whole("queuePriority-changes", of: "priority changes", mostBytes: 1) { stage, items in
      let queue = stage.members(0)
      let operation = Empty()
      queue.addOperation(operation)
      for number in 0..<items {
        operation.queuePriority = number.isMultiple(of: 2) ? .high : .low
      }
      return Pile(end: { CostStage.drain(queue) })
    },
    .whole("queuePriority-changes-limited", of: "priority changes", mostBytes: 1) {
      stage, items in
      let queue = stage.members(0, limit: 1)
      let operation = Empty()
      queue.addOperation(operation)
      for number in 0..<items {
        operation.queuePriority = number.isMultiple(of: 2) ? .high : .low
      }
      return Pile(end: { CostStage.drain(queue) })
    },
    // An operation that has run inside a wait is gone when the wait ends. The body looks itself: a
    // worker that goes idle may let go of more.
    .whole("add-and-wait", of: "waits inside a body", mostBytes: 16) { stage, items in
      let queue = stage.queue()
      let bytes = Atomic<Int>(0)
      let body = BlockOperation {
        let before = CostStage.liveBytes()
        for _ in 0..<items { queue.addOperations([Empty()], waitUntilFinished: true) }
        bytes.store(CostStage.liveBytes() - before, ordering: .relaxed)
      }
      // The wait orders what the body stored.
      queue.addOperations([body], waitUntilFinished: true)
      return Pile(bytes: bytes.load(ordering: .relaxed), end: {})
    },
  ]

  /// A case that calls `body` with one member of a suspended queue.
  private static func onMember(
    _ name: String, _ body: @escaping @Sendable (Operation, Int) -> Void
  ) -> CostCase {
    .call(name, among: "members") { stage, items, _ in
      let queue = stage.members(items)
      let operation = Empty()
      queue.addOperation(operation)
      return Pile(call: { number in body(operation, number) }, end: { CostStage.drain(queue) })
    }
  }

  /// Calls of the handle of a closure among as many handles that are kept.
  static let ofHandles: [CostCase] = [
    onHandle("handle-isFinished") { handle in precondition(!handle.isFinished) },
    onHandle("handle-isCancelled") { handle in precondition(!handle.isCancelled) },
    onHandle("handle-wait") { handle in precondition(!handle.wait(timeout: .zero)) },
    onHandle("handle-addDependency") { handle in
      let dependent = Operation()
      handle.addDependency(to: dependent)
      dependent.removeDependency(handle.operation)
    },
    .call("handle-operation", among: "handles", mostBytes: 1024) { stage, items, calls in
      let queue = stage.queue()
      queue.isSuspended = true
      let handles = (0..<(items + calls)).map { _ in queue.addOperation {} }
      return Pile(
        call: { number in _ = handles[items + number].operation }, end: { CostStage.drain(queue) })
    },
    .call("handle-cancel", among: "handles", mostBytes: 1024) { stage, items, calls in
      let queue = stage.queue()
      queue.isSuspended = true
      let handles = (0..<(items + calls)).map { _ in queue.addOperation {} }
      return Pile(
        call: { number in handles[items + number].cancel() }, end: { CostStage.drain(queue) })
    },
    .call("handle-waitUntilFinished", among: "handles", mostBytes: 1024) { stage, items, calls in
      let queue = stage.queue()
      let handles = (0..<(items + calls)).map { _ in queue.addOperation {} }
      queue.waitUntilAllOperationsAreFinished()
      return Pile(
        call: { number in handles[items + number].waitUntilFinished() },
        end: { withExtendedLifetime(handles) {} })
    },
    .call("addOperation-beside-kept", among: "finished operations that are kept") {
      stage, items, _ in
      let queue = stage.queue()
      let kept = (0..<items).map { _ in Empty() }
      queue.addOperations(kept, waitUntilFinished: true)
      return Pile(
        call: { _ in queue.addOperations([Empty()], waitUntilFinished: true) },
        end: { withExtendedLifetime(kept) {} })
    },
  ]

  private static func onHandle(
    _ name: String, _ body: @escaping @Sendable (OperationHandle) -> Void
  ) -> CostCase {
    .call(name, among: "handles") { stage, items, _ in
      let queue = stage.queue()
      queue.isSuspended = true
      let handles = (0...items).map { _ in queue.addOperation {} }
      return Pile(call: { _ in body(handles[items]) }, end: { CostStage.drain(queue) })
    }
  }
}
