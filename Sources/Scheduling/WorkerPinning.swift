// SPDX-License-Identifier: Apache-2.0

/// Which processors a worker's thread may run on.
public enum WorkerPinning: String, CaseIterable, Sendable {
  /// Those that its creator may run on: the system moves it as it likes.
  case none
  /// One each; workers with neighbouring numbers as near to each other as possible, hardware
  /// threads of a core first.
  case compact
  /// One each; workers with neighbouring numbers as far apart as possible.
  case spread
}

/// Where the workers of one pool run.
package struct WorkerPlacement: Sendable {
  /// One processor after the other, in the order of the workers, which begin again at the end.
  package let order: [ProcessorTopology.Processor]

  /// Nil when the workers are not pinned.
  package init?(pinning: WorkerPinning, topology: ProcessorTopology?) {
    guard pinning != .none else { return nil }
    guard let order = (topology ?? .ofThisThread()).order(for: pinning) else { return nil }
    self.order = order
  }

  /// Where regular worker `index` runs.
  package func home(of index: Int) -> ProcessorTopology.Processor { order[index % order.count] }

  /// The processors that thread `index` of a pool may use: its home, or all of them for a
  /// compensation thread, which stands in for different workers.
  package func processors(of index: Int, workers: Int) -> [Int] {
    index < workers ? [home(of: index).number] : order.map(\.number)
  }
}
