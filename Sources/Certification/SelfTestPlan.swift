// SPDX-License-Identifier: Apache-2.0

package import Harness
package import Measurement
internal import Results

/// What a self-test measures, before any of it has happened.
package struct SelfTestPlan: Sendable {
  /// Pairs of this program with itself, in lock-step as a gate takes them.
  package var comparison: ComparisonPlan
  /// Workloads whose cost must grow with their size, on one scheduler.
  package let growths: [Growth]

  /// A workload at two sizes.
  package struct Growth: Sendable {
    package let benchmark: String
    package let less: Assignment
    package let more: Assignment

    package init(benchmark: String, less: Assignment, more: Assignment) {
      self.benchmark = benchmark
      self.less = less
      self.more = more
    }
  }

  /// Pairs of each workload: enough for an interval, and no more than every figure is reckoned to.
  package static let pairs = 10...Certificate.pairs
  /// Time for the pairs of what a gate measures.
  package static let budget = Duration.seconds(120)
  /// Time for those of every workload and scheduler.
  package static let fullBudget = Duration.seconds(600)
  /// What the probes beside the pairs take, in seconds.
  package static let probeSeconds = 15.0

  package init(comparison: ComparisonPlan, growths: [Growth]) {
    self.comparison = comparison
    self.growths = growths
  }

  /// The plan for a suite.
  ///
  /// - Parameters:
  ///   - isFull: also what is measured on request alone.
  ///   - budget: for the pairs; nil for the usual one.
  ///   - seed: of every random choice.
  ///   - cpuCount: CPUs that this process may use.
  package init(
    suite: Suite, isFull: Bool, budget: Duration? = nil, seed: UInt64, cpuCount: Int
  ) throws(PlanError) {
    var request = ComparisonRequest()
    request.measurement.isQuick = true
    request.measurement.seed = seed
    request.measurement.budget = budget ?? (isFull ? Self.fullBudget : Self.budget)
    if isFull {
      request.measurement.workloadNames = suite.workloads.map(\.name)
      request.measurement.schedulers = suite.schedulers.map(\.name)
    }
    comparison = try Planner(suite: suite, request: request.measurement, cpuCount: cpuCount)
      .comparison(request, of: .own, and: .own, freshSeed: seed)
    comparison.pairs = .fitting(Self.pairs)
    let plan = comparison
    growths = suite.workloads.compactMap { workload in
      guard
        let group = plan.groups.firstIndex(where: { $0.point.benchmark == workload.name }),
        workload.parameters(at: .smoke) != workload.parameters(at: .quick)
      else { return nil }
      var more = plan.assignment(
        group: group, side: 0, draws: plan.draws(group: group, pair: 0))
      more.warmups = 1
      more.minimumIterations = 5
      more.maximumIterations = 1000
      more.timeBudgetNanoseconds = 20_000_000
      var less = more
      less.parameters = workload.parameters(at: .smoke)
      return Growth(benchmark: workload.name, less: less, more: more)
    }
  }

  /// What all of it takes, in seconds.
  package var seconds: Double { ComparisonEstimate(plan: comparison).seconds + Self.probeSeconds }
}
