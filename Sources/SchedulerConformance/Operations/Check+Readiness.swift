// SPDX-License-Identifier: Apache-2.0

internal import Operations
internal import Synchronization

extension Check {
  /// Conditions of subclasses besides their dependencies.
  static let readiness: [Check] = [
    Check("conditionHoldsTheStartBackUntilAnnounced", .contract(38, 39, 40)) { trial in
      let queue = trial.queue()
      let dependency = Operation()
      dependency.start()
      let conditional = ConditionalOperation()
      conditional.addDependency(dependency)
      let fence = TestOperation()
      queue.addOperations([conditional, fence], waitUntilFinished: false)
      fence.waitUntilFinished()
      trial.expect(
        !conditional.isReady && !conditional.isFinished,
        "!conditional.isReady && !conditional.isFinished")
      // An announcement without a change.
      conditional.didChangeValue(forKey: "isReady")
      trial.expect(!conditional.isFinished, "!conditional.isFinished")
      conditional.set(open: true)
      trial.expectQuiet(queue)
      trial.expect(conditional.runs.load(ordering: .relaxed), equals: 1, "conditional.runs")
    },
    Check("withdrawnConditionPreventsTheStart", .contract(41), on: .usual) { trial in
      let queue = trial.queue()
      queue.isSuspended = true
      let conditional = ConditionalOperation(isOpen: true)
      queue.addOperation(conditional)
      conditional.set(open: false)
      queue.isSuspended = false
      let fence = TestOperation()
      queue.addOperation(fence)
      fence.waitUntilFinished()
      trial.expect(conditional.runs.load(ordering: .relaxed), equals: 0, "conditional.runs")
      conditional.set(open: true)
      trial.expectQuiet(queue)
      trial.expect(conditional.runs.load(ordering: .relaxed), equals: 1, "conditional.runs")
    },
    Check("cancelEndsTheWaitForACondition", .contract(37, 47), on: .usual) { trial in
      let queue = trial.queue()
      let conditional = ConditionalOperation()
      let fence = TestOperation()
      queue.addOperations([conditional, fence], waitUntilFinished: false)
      fence.waitUntilFinished()
      conditional.cancel()
      trial.expectQuiet(queue)
      trial.expect(
        conditional.isFinished && conditional.runs.load(ordering: .relaxed) == 0,
        "conditional.isFinished && conditional.runs == 0")
    },
    Check("conditionAndLateDependencyBothCount", .contract(38), on: .usual) { trial in
      let queue = trial.queue()
      let conditional = ConditionalOperation()
      let fence = TestOperation()
      queue.addOperations([conditional, fence], waitUntilFinished: false)
      fence.waitUntilFinished()
      let gate = Operation()
      conditional.addDependency(gate)
      conditional.set(open: true)
      trial.expect(!conditional.isFinished, "!conditional.isFinished")
      gate.start()
      trial.expectQuiet(queue)
      trial.expect(conditional.runs.load(ordering: .relaxed), equals: 1, "conditional.runs")
    },
    // A wait looks at the operation on the waiting worker while its job is still queued.
    Check(
      "waitForAConditionalOperationLeavesItIntact", .contract(40),
      needs: [.ownThreads, .compensation], on: .one
    ) { trial in
      let lifetimes = LifetimeCounter()
      let queue = trial.queue()
      for _ in 0..<50 {
        let conditional = ConditionalOperation()
        let waiter = TestOperation(lifetimes) { _ in conditional.waitUntilFinished() }
        let opener = TestOperation(lifetimes) { _ in conditional.set(open: true) }
        queue.addOperations([waiter, conditional, opener], waitUntilFinished: false)
        trial.expectQuiet(queue)
        trial.expect(conditional.runs.load(ordering: .relaxed), equals: 1, "conditional.runs")
        trial.expect(queue.operations.isEmpty, "queue.operations.isEmpty")
      }
      trial.eventually(equals: 0, "the number of operations alive") { lifetimes.live }
    },
    Check("manualStartHonoursTheCondition", .contract(14, 40), on: .usual) { trial in
      let conditional = ConditionalOperation()
      var isRefused = false
      do throws(OperationError) { try conditional.tryStart() } catch {
        if case .notReady = error { isRefused = true }
      }
      trial.expect(isRefused, "tryStart to throw notReady")
      let queue = trial.queue()
      queue.addOperation(conditional)
      conditional.set(open: true)
      trial.expectQuiet(queue)
      trial.expect(conditional.runs.load(ordering: .relaxed), equals: 1, "conditional.runs")
    },
  ]
}
