// SPDX-License-Identifier: Apache-2.0

/// An operation whose work goes on after `main()` has returned, until `finish()` is called (contract 68).
///
/// Subclasses override `main()` to begin the work. The operation keeps its place in the queue, its slot and its
/// dependents' block until it has finished (contract 65). A cancelled one that has not begun finishes by itself.
open class AsyncOperation: Operation, @unchecked Sendable {
  /// An asynchronous operation in no queue.
  public override init() { super.init(flags: StateBit.retainsDependencies | StateBit.asynchronous) }

  /// Ends the operation; any thread, from inside `main()` or later.
  ///
  /// A second call changes nothing and is counted. Before its queue has started it, the operation finishes and leaves
  /// the queue at once, whatever it waits for, and a warning on stderr names it; in no queue it finishes when it is
  /// queued or started. Its body does not run in either case (contract 66, 69).
  public final func finish() { finishFromAnywhere() }

  /// How often `finish()` was called after the operation had finished.
  public final var surplusFinishCount: Int { withColdTable { $0.surplusFinishes } ?? 0 }
}
