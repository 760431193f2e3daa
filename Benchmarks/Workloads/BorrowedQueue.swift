// SPDX-License-Identifier: Apache-2.0

internal import Operations

/// The queue of a run, for closures that add to it.
///
/// A captured `OperationQueue` would be retained and released by every operation on every worker,
/// and that one count would be what a workload measures.
@safe struct BorrowedQueue: Sendable {
  private let queue: Unmanaged<OperationQueue>

  /// Borrows `queue`, which must outlive every operation added through the result.
  init(_ queue: OperationQueue) { unsafe self.queue = Unmanaged.passUnretained(queue) }

  /// The queue as a word, for a list of queues that bodies read without counting a reference.
  var word: UInt64 { unsafe UInt64(UInt(bitPattern: queue.toOpaque())) }

  /// The queue of a word.
  init(word: UInt64) {
    // SAFETY: `word` is of a queue that its workload keeps alive.
    let pointer = unsafe UnsafeRawPointer(bitPattern: UInt(word)).unsafelyUnwrapped
    unsafe queue = Unmanaged.fromOpaque(pointer)
  }

  @inline(__always) func addOperation(_ block: @escaping @Sendable () -> Void) {
    // SAFETY: `TimedIteration.run` keeps the queue alive until it is quiet, hence past every
    // operation.
    unsafe queue._withUnsafeGuaranteedRef { queue in _ = queue.addOperation(block) }
  }

  @inline(__always) func addOperation(_ operation: Operation) {
    // SAFETY: as above.
    unsafe queue._withUnsafeGuaranteedRef { $0.addOperation(operation) }
  }
  func cancelAllOperations() {
    // SAFETY: as above.
    unsafe queue._withUnsafeGuaranteedRef { $0.cancelAllOperations() }
  }
}
