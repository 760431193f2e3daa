// SPDX-License-Identifier: Apache-2.0

/// How often an operation ran where its last predecessor had run, and so may have found its data.
package struct Locality: Sendable, Equatable {
  /// Operations with a known releasing predecessor, both of which ran on known threads.
  package let pairs: Int
  /// Of those, how many ran on the thread of that predecessor.
  package let sameThread: Int
  /// Pairs with known processors.
  package let processorPairs: Int
  /// Of those, how many ran on the processor of that predecessor.
  package let sameProcessor: Int
  /// Times a thread started an operation on another processor than the one before.
  package let threadMigrations: Int

  /// Operations that ran on another thread than the predecessor that released them.
  package var migrations: Int { pairs - sameThread }
  /// The part that stayed; nil without any pair.
  package var share: Double? { pairs > 0 ? Double(sameThread) / Double(pairs) : nil }

  init(_ trace: Trace, timeline: WorkerTimeline) {
    var pairs = 0
    var sameThread = 0
    var processorPairs = 0
    var sameProcessor = 0
    for operation in trace.operations where operation.startedTime != .min {
      let releaser = Int(operation.releasedBy)
      guard operation.thread >= 0, releaser >= 0, releaser < trace.operations.count else {
        continue
      }
      let predecessor = trace.operations[releaser]
      guard predecessor.thread >= 0 else { continue }
      pairs += 1
      if predecessor.thread == operation.thread { sameThread += 1 }
      guard predecessor.processor >= 0, operation.processor >= 0 else { continue }
      processorPairs += 1
      if predecessor.processor == operation.processor { sameProcessor += 1 }
    }
    self.pairs = pairs
    self.sameThread = sameThread
    self.processorPairs = processorPairs
    self.sameProcessor = sameProcessor
    threadMigrations = Self.threadMigrations(trace, timeline)
  }

  private static func threadMigrations(_ trace: Trace, _ timeline: WorkerTimeline) -> Int {
    var count = 0
    for thread in trace.threads.indices {
      var last: Int32 = -1
      for operation in timeline.operations(of: thread) {
        let processor = trace.operations[Int(operation)].processor
        guard processor >= 0 else { continue }
        if last >= 0, last != processor { count += 1 }
        last = processor
      }
    }
    return count
  }
}
