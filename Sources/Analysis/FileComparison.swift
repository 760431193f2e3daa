// SPDX-License-Identifier: Apache-2.0

package import Results
package import Statistics

/// What two runs that were measured apart say about each other: ratios, and no verdict.
///
/// Contestants are matched by suite, benchmark, parameters, scheduler and allocator, whatever their
/// code. Pure; any thread. O(n log n) in the processes of both runs.
package struct FileComparison: Sendable {
  /// One side of a figure.
  package struct Side: Sendable, Equatable {
    /// The median of its processes; nil when none has a figure.
    package let median: Double?
    /// Processes with a figure.
    package let processes: Int
    /// Why a process has none; nil when all have one.
    package let failure: QualityFlag?

    init(_ sample: RunFigures.Sample?) {
      let values = sample?.values ?? []
      median = values.isEmpty ? nil : Statistics.median(values)
      processes = values.count
      failure = sample?.failure
    }
  }

  /// One metric of a contestant that is in both runs.
  package struct Figure: Sendable {
    /// Whom it is about; its code is left open.
    package let id: ContestantID
    package let metric: Metric
    package let base: Side
    package let candidate: Side
    /// The candidate's figure over the base's; nil where a side has none above 0.
    package let ratio: UnpairedRatio?

    init(_ metric: Metric, _ base: RunFigures.Contestant, _ candidate: RunFigures.Contestant) {
      id = base.id
      self.metric = metric
      let samples = [base.samples[metric], candidate.samples[metric]]
      self.base = Side(samples[0])
      self.candidate = Side(samples[1])
      let values = samples.map { $0?.values ?? [] }
      ratio =
        values.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 > 0 } }
        ? UnpairedRatio.estimate(base: values[0], candidate: values[1]) : nil
    }

    /// Whether the interval of the ratio leaves out 1.
    package var isApart: Bool { ratio?.interval.map { !$0.contains(1) } ?? false }
  }

  /// What makes a difference doubtful, or what it cannot be about.
  package enum Caveat: Sendable, Equatable {
    case sameRun
    case sameBinary(String)
    case otherMachine(base: String, candidate: String)
    case otherToolchain(base: String?, candidate: String?)
    /// The allocators of each run, sorted.
    case otherAllocator(base: [String], candidate: [String])
    case otherBuild(base: Set<QualityFlag>, candidate: Set<QualityFlag>)
    case spoiltBuilds(Set<QualityFlag>)
    case leftOutCode(isBase: Bool)
  }

  package let base: RunFigures
  package let candidate: RunFigures
  /// The primary metric and the processor time of every contestant of both, in the base's order.
  package let figures: [Figure]
  /// Contestants that only the base has.
  package let onlyInBase: [ContestantID]
  /// Contestants that only the candidate has.
  package let onlyInCandidate: [ContestantID]
  package let caveats: [Caveat]

  package init(base: RunFigures, candidate: RunFigures) {
    self.base = base
    self.candidate = candidate
    let others = Dictionary(uniqueKeysWithValues: candidate.contestants.map { ($0.id, $0) })
    let own = Set(base.contestants.map(\.id))
    figures = base.contestants.flatMap { one -> [Figure] in
      guard let other = others[one.id] else { return [] }
      let metrics = Set(one.samples.keys).union(other.samples.keys)
      let primary = Metric.primary(among: metrics)
      return [primary, .cpu].filter(metrics.contains).map { Figure($0, one, other) }
    }
    onlyInBase = base.contestants.map(\.id).filter { others[$0] == nil }
    onlyInCandidate = candidate.contestants.map(\.id).filter { !own.contains($0) }
    caveats = Self.caveats(base, candidate)
  }

  private static func caveats(_ base: RunFigures, _ candidate: RunFigures) -> [Caveat] {
    var caveats: [Caveat] = []
    if base.run.runID == candidate.run.runID {
      caveats.append(.sameRun)
    } else if let binary = base.code.binary, binary == candidate.code.binary {
      caveats.append(.sameBinary(binary))
    }
    let machines = (base.run.machineID.text, candidate.run.machineID.text)
    if machines.0 != machines.1 {
      caveats.append(.otherMachine(base: machines.0, candidate: machines.1))
    }
    let toolchains = (base.code.toolchain, candidate.code.toolchain)
    if toolchains.0 != toolchains.1 {
      caveats.append(.otherToolchain(base: toolchains.0, candidate: toolchains.1))
    }
    let allocators = (Self.allocators(base), Self.allocators(candidate))
    if allocators.0 != allocators.1 {
      caveats.append(.otherAllocator(base: allocators.0, candidate: allocators.1))
    }
    if base.buildFlags != candidate.buildFlags {
      caveats.append(.otherBuild(base: base.buildFlags, candidate: candidate.buildFlags))
    } else if !base.buildFlags.isEmpty {
      caveats.append(.spoiltBuilds(base.buildFlags))
    }
    if base.leavesOutCode { caveats.append(.leftOutCode(isBase: true)) }
    if candidate.leavesOutCode { caveats.append(.leftOutCode(isBase: false)) }
    return caveats
  }

  private static func allocators(_ run: RunFigures) -> [String] {
    Set(run.contestants.map(\.id.allocator)).sorted()
  }
}
