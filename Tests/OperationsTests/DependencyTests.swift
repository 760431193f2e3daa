// SPDX-License-Identifier: Apache-2.0

import Operations
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  @Suite struct DependencyTests {
    @Test(.contract(23, 24, 27)) func finishedDependencyIsListedAndHoldsNothingBack() {
      let done = Operation()
      done.start()
      let operation = Operation()
      operation.addDependency(done)
      operation.addDependency(done)
      #expect(operation.isReady)
      #expect(operation.dependencies == [done])
      operation.removeDependency(done)
      operation.removeDependency(done)
      #expect(operation.dependencies.isEmpty)
    }

    @Test(.contract(30)) func selfDependencyThrows() {
      let operation = Operation()
      #expect(throws: OperationError.self) { try operation.tryAddDependency(operation) }
      #expect(operation.dependencies.isEmpty)
    }

    @Test(.contract(26, 130)) func dependencyThatDiesUnfinishedFreesItsFormerDependents() {
      let lifetimes = LifetimeCounter()
      let queue = Kind.pools[1].queue()
      do {
        let never = Operation()
        let removed = TestOperation(lifetimes)
        let cancelled = TestOperation(lifetimes)
        for operation in [removed, cancelled] {
          operation.addDependency(never)
          operation.retainsFinishedDependencies = false
          queue.addOperation(operation)
        }
        removed.removeDependency(never)
        cancelled.cancel()
        queue.expectQuiet()
        #expect(removed.runCount == 1 && cancelled.runCount == 0)
      }
      #expect(waitUntil { lifetimes.live == 0 })
    }

    @Test(.contract(131)) func finishedDependenciesAreDroppedOnDemand() {
      let lifetimes = LifetimeCounter()
      let operation = Operation()
      operation.retainsFinishedDependencies = false
      do {
        for _ in 0..<6 {
          let dependency = TestOperation(lifetimes)
          operation.addDependency(dependency)
          dependency.start()
        }
      }
      #expect(lifetimes.live == 6)
      #expect(operation.dependencies.count == 6)
      operation.start()
      #expect(operation.dependencies.isEmpty)
      #expect(lifetimes.live == 0)
    }
  }
}
