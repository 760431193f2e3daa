// SPDX-License-Identifier: Apache-2.0

import Glibc
import Operations
import WorkStealingBackend

// usage: WalkFixture COUNT [made]
//
// A chain of COUNT operations with empty bodies on one worker: the program whose calls scripts/walk
// counts; the operations are kept. With `made` it ends when they are made, and adds none.

let arguments = CommandLine.arguments.dropFirst()
guard let count = arguments.first.flatMap({ Int($0) }), count > 0,
  arguments.dropFirst().allSatisfy({ $0 == "made" }), arguments.count < 3
else { fatalError("usage: WalkFixture COUNT [made]") }
var operations: [BlockOperation] = []
for _ in 0..<count {
  let operation = BlockOperation {}
  if let last = operations.last { operation.addDependency(last) }
  operations.append(operation)
}
// As the other run, without letting go of them.
if arguments.count == 2 { _exit(0) }
let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 1))
// Suspended until all are there, so that every operation finds its dependency unfinished.
queue.isSuspended = true
for operation in operations { queue.addOperation(operation) }
queue.isSuspended = false
queue.waitUntilAllOperationsAreFinished()
