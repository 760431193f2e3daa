// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
package import Harness
package import Results
package import Statistics

/// What is compared at one point: a base, and candidates that are each compared with it.
package struct ComparisonGroup: Sendable {
  /// The point; the first contestant is the base, side 0, and the others are candidates.
  package let point: MeasurementGroup
  /// The program that measures each contestant, as a path.
  package let executables: [String]
  /// What counts as a difference here; nil for what does in the whole plan.
  package var tolerance: Tolerance?
  /// What is judged here beside the metrics of the plan.
  package var further: [FurtherFigure] = []

  /// A group; every contestant is measured by this program unless `executables` says otherwise.
  ///
  /// Stops the process unless there are two contestants and as many executables.
  package init(_ point: MeasurementGroup, executables: [String]? = nil) {
    let count = point.contestants.count
    self.executables =
      executables ?? Array(repeating: ExecutablePath.running, count: count)
    self.point = point
    guard count >= 2, self.executables.count == count else {
      fatalError(
        "ComparisonGroup: \(count) contestants, \(self.executables.count) executables; expected a "
          + "base, a candidate, and a program for each")
    }
  }

  /// Which build a side is, in words; nil where one program measures all sides, or for no side.
  package func build(of side: Int?) -> String? {
    guard let side, Set(executables).count > 1 else { return nil }
    return side == 0 ? "the base" : "the candidate"
  }

  /// Sides that are compared with side 0.
  package var candidates: Range<Int> { 1..<point.contestants.count }
}

/// Everything that one comparison measures, before any of it has happened.
package struct ComparisonPlan: Sendable {
  /// How many pairs there may be.
  package enum Pairs: Hashable, Sendable {
    /// As many of the standard looks as the time holds.
    case standard
    /// Exactly so many, judged once.
    case exactly(Int)
    /// As many as the time holds, but within these bounds; judged once.
    case fitting(ClosedRange<Int>)
  }

  /// What is compared, in the order in which it is measured and shown.
  package var groups: [ComparisonGroup]
  /// How the sides of a pair are measured.
  package var pairing = ComparisonDesign.Pairing.alternating
  /// Metrics that get a verdict; nil for what each benchmark is about.
  package var metrics: [Metric]?
  package var tolerance = Tolerance.timing
  /// The error of all verdicts together, at which measuring stops: that of whoever judges them.
  package var familyAlpha = GateFamily.reportAlpha
  package var pairs = Pairs.standard
  /// Time for everything.
  package var budget: Duration
  /// True when the user named the time, which is then kept.
  package var budgetIsNamed = false
  /// Source of every random choice.
  package var seed: UInt64
  /// What one sample, and all samples of a side in a pair, should take.
  package var sampling = Sampling()
  /// CPUs that the children may use.
  package var cpuCount: Int
  package var allocator = Allocator.jemalloc
  /// What whoever asked should know about the plan.
  package var notes: [PlanNote] = []

  package init(groups: [ComparisonGroup], budget: Duration, seed: UInt64, cpuCount: Int) {
    self.groups = groups
    self.budget = budget
    self.seed = seed
    self.cpuCount = cpuCount
  }

  /// How long samples should take.
  package struct Sampling: Hashable, Sendable {
    /// One sample of the slower side.
    package var sampleNanoseconds = 2_000_000.0
    /// All samples of a side in a pair.
    package var sideNanoseconds = 40_000_000.0
    /// How many samples of a side a pair has.
    package var count = 5...21

    package init() {}

    /// For a quick look.
    ///
    /// Short samples are more often in one of two moods, such as who steals from whom: in pairs of
    /// 3 the noise of a pair was three to ten times that of 15. In one process a pair has more of
    /// them, since it costs no further process and is to show smaller differences.
    package static func quick(_ pairing: ComparisonDesign.Pairing) -> Sampling {
      var quick = Sampling()
      quick.sampleNanoseconds = 1_000_000
      quick.sideNanoseconds = pairing == .alternating ? 40_000_000 : 20_000_000
      quick.count = pairing == .alternating ? 21...31 : 11...21
      return quick
    }
  }

  /// What counts as a difference in a group.
  package func tolerance(of group: Int) -> Tolerance { groups[group].tolerance ?? tolerance }

  /// The metrics of a group that get a verdict.
  package func judgedMetrics(of group: Int) -> [Metric] {
    metrics ?? [groups[group].point.primaryMetric]
  }

  /// Verdicts of the whole comparison: they are one family.
  package var verdictCount: Int {
    groups.indices.reduce(0) { sum, group in
      let verdicts = judgedMetrics(of: group).count + groups[group].further.count
      return sum + groups[group].candidates.count * verdicts
    }
  }

  /// The looks of a group whose pairs take so long, within a share of the time.
  ///
  /// As many as the time holds, and one at least.
  package func looks(pairSeconds: Double, within seconds: Double) -> SequentialDesign {
    switch pairs {
    case .exactly(let count): return .single(pairs: count)
    case .fitting(let bounds):
      let fitting = min(seconds / max(pairSeconds, 1e-6), Double(bounds.upperBound))
      return .single(pairs: max(bounds.lowerBound, Int(fitting)))
    case .standard:
      let fitting = SequentialDesign.standard.looks.count { Double($0) * pairSeconds <= seconds }
      return .standard.prefix(max(1, fitting))
    }
  }

  /// Time for everything, in seconds.
  package var budgetSeconds: Double {
    let parts = budget.components
    return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
  }

  /// Seconds after which no further pair starts: a tenth above the time that the user named; nil
  /// when it may be exceeded, by the pairs that the user named or by those of the first look.
  package var mostSeconds: Double? {
    budgetIsNamed && pairs == .standard ? 1.1 * budgetSeconds : nil
  }

  /// How long a child may take before it counts as hung: the whole budget, at least half a minute,
  /// and four times what its programs are expected to take.
  package var childDeadline: Duration {
    let longest = groups.map { $0.point.iterationSeconds * Double($0.executables.count) }.max() ?? 0
    return max(budget, .seconds(30), .seconds(4 * Double(2 + sampling.count.lowerBound) * longest))
  }

  /// The assignment of a side; both sides of a pair get the same seed.
  package func assignment(group: Int, side: Int, draws: PairDraws) -> Assignment {
    let point = groups[group].point
    let contestant = point.contestants[side]
    return Assignment(
      subject: point.subject, system: contestant.system, workers: contestant.workers,
      cpus: point.cpus, parameters: contestant.parameters, knobs: contestant.knobs,
      seed: draws.seed, allocator: allocator, environmentPadding: draws.padding,
      extra: point.settings)
  }

  /// The random choices of a pair of a group, counted from 1; 0 is the calibration.
  ///
  /// A function of the seed, the group and the pair alone.
  package func draws(group: Int, pair: Int) -> PairDraws {
    var outer = SeededGenerator(seed: seed ^ UInt64(truncatingIfNeeded: group))
    return PairDraws(seed: outer.next() ^ UInt64(truncatingIfNeeded: pair))
  }
}

/// The random choices of one pair.
package struct PairDraws: Sendable {
  /// Seed of the programs, the same on every side.
  package let seed: UInt64
  /// Bytes added to the environment of its processes, the same on every side.
  ///
  /// It shifts where a stack begins, so that no accident of layout is in every pair.
  package let padding: Int
  private var generator: SeededGenerator

  package init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    self.seed = generator.next()
    padding = generator.index(below: 4096)
    self.generator = generator
  }

  /// The sides in random order, each order equally likely.
  package mutating func order(of sides: [Int]) -> [Int] { sides.shuffled(using: &generator) }
}
