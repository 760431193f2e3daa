// SPDX-License-Identifier: Apache-2.0

package import Operations
internal import Synchronization

/// Operations of one queue, each of which adds the next in its body and waits for it.
package final class NestedWaits: Sendable {
  private let queue: OperationQueue
  private let wait: @Sendable (Operation) -> Void
  private let begun = Atomic<Int>(0)

  /// - Parameters:
  ///   - queue: what all of them are added to.
  ///   - wait: waits for the next one.
  package init(
    in queue: OperationQueue,
    wait: @escaping @Sendable (Operation) -> Void = { $0.waitUntilFinished() }
  ) {
    self.queue = queue
    self.wait = wait
  }

  /// Bodies that have begun; exact when the queue is empty.
  package var count: Int { begun.load(ordering: .relaxed) }  // relaxed: a count

  /// Adds the first one, below which as many others as there are levels wait for each other.
  package func begin(levels: Int) { queue.addOperation { self.descend(levels) } }

  private func descend(_ level: Int) {
    begun.add(1, ordering: .relaxed)  // relaxed: a count
    guard level > 0 else { return }
    let next = BlockOperation { self.descend(level - 1) }
    queue.addOperation(next)
    wait(next)
  }
}
