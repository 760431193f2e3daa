// SPDX-License-Identifier: Apache-2.0

/// Whether operations are worth what it costs to schedule them.
///
/// METG, the smallest grain that is effective, is the run time at which half of a worker's time
/// goes to bodies: the overhead of an operation. Source: E. Slaughter et al., Task Bench, SC 2020,
/// doi:10.1109/SC41405.2020.00066.
package struct GrainVerdict: Sendable, Equatable {
  /// Operations of one name that are too small on average.
  package struct Group: Sendable, Equatable {
    /// Index into `Trace.names`: the name that they share, else their kind.
    package let name: UInt32
    package let count: Int
    /// Their mean run time, ns.
    package let meanRun: Double
    /// How many of them should become one, so that nine tenths of the time go to bodies.
    package let merge: Int
  }

  /// The overhead of an operation, ns; nil where the run shows none, and nothing is judged.
  package let overheadPerOperation: Int64?
  /// Operations by run time: at `i` those of 2ⁱ ..< 2ⁱ⁺¹ ns, at 0 also those below.
  package let histogram: [Int]
  /// Operations with a known run time.
  package let count: Int
  /// Of those, how many run shorter than METG.
  package let belowCount: Int
  /// Groups to merge, the one with most operations first.
  package let merge: [Group]

  /// The smallest effective grain, ns.
  package var metg: Int64? { overheadPerOperation }
  /// The part of operations below METG; nil where nothing is judged.
  package var shareBelow: Double? {
    overheadPerOperation != nil && count > 0 ? Double(belowCount) / Double(count) : nil
  }

  init(_ trace: Trace, timeline: WorkerTimeline, samples: OverheadSamples) {
    overheadPerOperation = samples.perOperation
    let metg = samples.perOperation ?? .min
    var histogram = [Int](repeating: 0, count: Int64.bitWidth - 1)
    var below = 0
    var count = 0
    var groups = GrainGroups(trace)
    for (index, operation) in trace.operations.enumerated() where !operation.isSkipped {
      guard operation.runTime != nil else { continue }
      let run = timeline.selfRun[index]
      histogram[run < 2 ? 0 : Int64.bitWidth - 1 - run.leadingZeroBitCount] += 1
      count += 1
      if run < metg { below += 1 }
      groups.add(operation, run: run)
    }
    self.histogram = histogram
    self.count = count
    belowCount = below
    merge = samples.perOperation.map(groups.tooSmall) ?? []
  }
}

/// Run times by shared name, else by kind.
private struct GrainGroups {
  private let isShared: [Bool]
  private var counts: [Int]
  private var runs: [Int64]

  init(_ trace: Trace) {
    var uses = [Int](repeating: 0, count: trace.names.count)
    for operation in trace.operations where Int(operation.name) < uses.count {
      uses[Int(operation.name)] += 1
    }
    isShared = uses.indices.map { $0 > 0 && uses[$0] > 1 }
    counts = Array(repeating: 0, count: uses.count)
    runs = Array(repeating: 0, count: uses.count)
  }

  mutating func add(_ operation: TracedOperation, run: Int64) {
    let name = Int(operation.name)
    let key = name < isShared.count && isShared[name] ? name : Int(operation.kind)
    guard key < counts.count else { return }
    counts[key] += 1
    runs[key] += run
  }

  func tooSmall(metg: Int64) -> [GrainVerdict.Group] {
    counts.indices.compactMap { key -> GrainVerdict.Group? in
      guard counts[key] > 1 else { return nil }
      let mean = Double(runs[key]) / Double(counts[key])
      guard mean < Double(metg) else { return nil }
      let wanted = (9 * Double(metg) / max(1, mean)).rounded(.up)
      return GrainVerdict.Group(
        name: UInt32(key), count: counts[key], meanRun: mean,
        merge: min(counts[key], Int(wanted)))
    }
    .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }
}
