// SPDX-License-Identifier: Apache-2.0

package import Operations
internal import Synchronization

extension Check {
  /// Nothing is left behind, however long the chain.
  static let memory: [Check] = [
    Check("longChainRunsWithoutRecursion", .contract(132), on: .usual) { trial in
      let length = Trial.slowness > 1 ? 20_000 : 200_000
      let lifetimes = LifetimeCounter()
      for limit in [-1, 1] {
        let queue = trial.queue()
        queue.maxConcurrentOperationCount = limit
        queue.addOperations(chain(length, lifetimes).reversed(), waitUntilFinished: false)
        trial.expectQuiet(queue)
        trial.eventually(equals: 0, "the number of operations alive") { lifetimes.live }
      }
    },
    Check("nothingIsLeftAlive", .contract(130)) { trial in
      let lifetimes = LifetimeCounter()
      do {
        let queue = trial.queue()
        for round in 0..<20 {
          for number in 0..<50 {
            let token = lifetimes.token()
            let operation: Operation
            switch number % 3 {
            case 0: operation = TestOperation(lifetimes)
            case 1: operation = BlockOperation { withExtendedLifetime(token) {} }
            default: operation = TestAsyncOperation(lifetimes) { $0.finish() }
            }
            operation.completionBlock = { withExtendedLifetime(token) {} }
            queue.addOperation(operation)
            queue.addOperation { withExtendedLifetime(token) {} }
            if number % 7 == 0 { operation.cancel() }
          }
          queue.maxConcurrentOperationCount = round % 2 == 0 ? 2 : -1
        }
        trial.expectQuiet(queue)
      }
      trial.eventually(equals: 0, "the number of operations alive") { lifetimes.live }
    },
  ]
}

/// A chain whose last operation holds the others through `dependencies`.
package func chain(_ length: Int, _ lifetimes: LifetimeCounter) -> [Operation] {
  var operations: [Operation] = []
  for _ in 0..<length {
    let operation = TestOperation(lifetimes)
    if let last = operations.last { operation.addDependency(last) }
    operations.append(operation)
  }
  return operations
}
