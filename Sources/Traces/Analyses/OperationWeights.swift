// SPDX-License-Identifier: Apache-2.0

/// What each operation takes by itself.
struct OperationWeights {
  /// Run and suspension without what ran inside the body, ns.
  let elapsed: [Int64]
  /// The time of all bodies, ns.
  let work: Int64

  init(_ trace: Trace, timeline: WorkerTimeline) {
    var elapsed = timeline.selfRun
    work = elapsed.reduce(0, +)
    for (index, operation) in trace.operations.enumerated() {
      elapsed[index] += max(0, operation.suspendedTime ?? 0)
    }
    self.elapsed = elapsed
  }
}
