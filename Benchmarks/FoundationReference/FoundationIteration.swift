// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness

/// How the reference programs make and drop their queues and operations.
enum FoundationIteration {
  /// A queue that runs at most `workers` operations at a time.
  static func makeQueue(workers: Int) -> OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = workers
    return queue
  }

  /// Drops operations from last to first.
  ///
  /// A predecessor has a lower index, so it is still held by the array when a dependent lets go of
  /// it: dropping a chain from its first operation on, or all at once, would recurse once per
  /// operation and overflow the stack.
  static func release(_ operations: inout [Operation]) {
    while !operations.isEmpty { operations.removeLast() }
  }
}
