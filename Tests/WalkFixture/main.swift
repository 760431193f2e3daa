// SPDX-License-Identifier: Apache-2.0

import Operations
import WorkStealingBackend

// usage: WalkFixture COUNT
//
// A chain of COUNT operations with empty bodies on one worker: the program whose calls scripts/walk
// counts.

guard CommandLine.arguments.count == 2, let count = Int(CommandLine.arguments[1]), count > 0 else {
  fatalError("usage: WalkFixture COUNT")
}
let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 1))
// Suspended until all are there, so that every operation finds its dependency unfinished.
queue.isSuspended = true
var last: BlockOperation?
for _ in 0..<count {
  let operation = BlockOperation {}
  if let last { operation.addDependency(last) }
  queue.addOperation(operation)
  last = operation
}
queue.isSuspended = false
queue.waitUntilAllOperationsAreFinished()
