// SPDX-License-Identifier: Apache-2.0

internal import Harness
package import Results
package import Statistics

/// What a comparison is to judge, beside what a request says is measured.
package struct ComparisonRequest: Sendable {
  /// What is measured; rounds and references do not count.
  package var measurement = MeasurementRequest()
  /// Metrics that get a verdict; nil for what each benchmark is about.
  package var metrics: [Metric]?
  package var tolerance = Tolerance.timing
  /// Pairs, whatever the time; nil for as many looks as fit.
  package var pairs: Int?

  package init() {}

  /// Time to measure for: what was asked for, else 60 s, or 20 s for a quick look.
  package var totalBudget: Duration {
    measurement.budget ?? (measurement.isQuick ? .seconds(20) : .seconds(60))
  }
}

extension Planner {
  /// The plan of a comparison of the request's contestants, or why there is none.
  ///
  /// Where schedulers are named, the first is the base of all others, with the first value of every
  /// knob. Where only values of knobs are named, every scheduler that has them is compared with
  /// itself.
  /// - Parameter freshSeed: used when the request names no seed.
  package func comparison(
    _ comparison: ComparisonRequest, freshSeed: UInt64
  ) throws(PlanError) -> ComparisonPlan {
    let (points, notes) = try groups()
    return try plan(
      comparison, of: points.flatMap(sides), notes: notes, freshSeed: freshSeed)
  }

  /// The plan of what is compared.
  func plan(
    _ comparison: ComparisonRequest, of compared: [ComparisonGroup],
    pairing: ComparisonDesign.Pairing = .alternating, notes: [PlanNote], freshSeed: UInt64
  ) throws(PlanError) -> ComparisonPlan {
    guard !compared.isEmpty else { throw .nothingToCompare }
    for metric in comparison.metrics ?? [] {
      if let point = compared.first(where: { !$0.point.reports(metric) })?.point {
        throw .metricNotReported(
          metric, benchmark: point.benchmark,
          reported: Metric.allCases.filter { point.reports($0) })
      }
    }
    var plan = ComparisonPlan(
      groups: compared, budget: comparison.totalBudget, seed: request.seed ?? freshSeed,
      cpuCount: request.cpus ?? cpuCount)
    plan.budgetIsNamed = request.budget != nil
    plan.metrics = comparison.metrics
    plan.tolerance = comparison.tolerance
    plan.pairs = comparison.pairs.map { .exactly($0) } ?? .standard
    plan.pairing = pairing
    if request.isQuick { plan.sampling = .quick(pairing) }
    plan.allocator = request.allocator
    plan.notes = notes
    return plan
  }

  /// The comparisons at a point.
  private func sides(_ point: MeasurementGroup) -> [ComparisonGroup] {
    var families: [[Contestant]]
    if let names = request.schedulers {
      // In the order in which they were named: the first is the base.
      families = [names.flatMap { name in point.contestants.filter { $0.name == name } }]
    } else {
      families = point.contestants.reduce(into: []) { families, contestant in
        if families.last?.first?.name == contestant.name {
          families[families.count - 1].append(contestant)
        } else {
          families.append([contestant])
        }
      }
    }
    return families.filter { $0.count > 1 }.map { contestants in
      var own = point
      own.contestants = contestants
      return ComparisonGroup(own)
    }
  }
}

extension MeasurementGroup {
  /// Whether a comparison can judge a metric of this benchmark: what it is about, and of what every
  /// sample has a figure above 0.
  package func reports(_ metric: Metric) -> Bool {
    switch metric {
    case .wall, .build, .run, .release, .throughput, .cpu: true
    case .latency, .makespan, .queueDelay, .efficiency: metrics.contains(metric)
    default: metric == primaryMetric
    }
  }
}
