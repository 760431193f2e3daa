// SPDX-License-Identifier: Apache-2.0

extension OperationQueue {
  /// How much of the queue's work is done (contract 121).
  ///
  /// The same object for the life of the queue. Inert until `totalUnitCount` is set; then each
  /// operation whose `main()` has ended adds one unit when it leaves the queue. `progressCounter`
  /// is the same figures without Foundation, and has the option to count operations that were
  /// cancelled before they began.
  public var progress: Progress {
    let counter = progressCounter
    guard let bridge = progressBridge({ QueueProgress(counter) }) else {
      fatalError(
        "OperationsFoundation: internal error: a queue keeps a progress bridge of another type."
      )
    }
    return bridge
  }
}

/// Foundation's view of a queue's counter: what either side sets, both show.
private final class QueueProgress: Progress, @unchecked Sendable {
  private let counter: ProgressCounter
  private var observations: [Observation] = []

  init(_ counter: ProgressCounter) {
    self.counter = counter
    super.init(parent: nil, userInfo: nil)
    // First: what changes from here on is shown, last what changed last, and what came before is
    // read.
    observations = [
      counter.observe(.total) { [weak self] in self?.showTotal($0) },
      counter.observe(.completed) { [weak self] in self?.showCompleted($0) },
    ]
    counter.read { total, completed in
      super.totalUnitCount = Int64(total)
      super.completedUnitCount = Int64(completed)
    }
  }

  override var totalUnitCount: Int64 {
    get { super.totalUnitCount }
    set { counter.totalUnitCount = Int(newValue) }
  }

  override var completedUnitCount: Int64 {
    get { super.completedUnitCount }
    set { counter.completedUnitCount = Int(newValue) }
  }

  /// One thread at a time.
  private func showTotal(_ units: Int) { super.totalUnitCount = Int64(units) }

  /// One thread at a time.
  private func showCompleted(_ units: Int) { super.completedUnitCount = Int64(units) }
}
