// SPDX-License-Identifier: Apache-2.0

package import Harness
package import Measurement
package import Results

/// One contestant that is counted.
package struct CountingCase: Sendable {
  /// Who it is.
  package let key: CountsKey
  /// What its children run.
  package let assignment: Assignment
}

/// What is counted: small sizes, since valgrind is slow, and one worker unless asked otherwise.
package struct CountingPlan: Sendable {
  /// In the order of the suite.
  package let cases: [CountingCase]

  /// A program whose counts say most about the operation layer: on which schedulers, and the values
  /// in which it differs from the quick size.
  private struct Standard {
    let workload: String
    let schedulers: [String]
    var values: [String: Int] = [:]
  }

  private static let standard = [
    Standard(workload: "chain", schedulers: ["work-stealing", "inline"]),
    Standard(workload: "wavefront", schedulers: ["work-stealing"]),
    Standard(workload: "layered", schedulers: ["work-stealing"]),
    // Elsewhere the thread that adds and the worker that runs meet differently each time.
    Standard(workload: "independent", schedulers: ["inline"], values: ["n": 10_000]),
    Standard(workload: "fork-join", schedulers: ["work-stealing"], values: ["n": 20]),
    Standard(workload: "fork-join-stack", schedulers: ["work-stealing"], values: ["n": 20]),
    Standard(workload: "cancel", schedulers: ["work-stealing"]),
  ]

  /// A plan of cases that are at hand.
  package init(cases: [CountingCase]) { self.cases = cases }

  /// The cases that somebody asks for, in the same order.
  package func cases(where isWanted: (CountsKey) -> Bool) -> CountingPlan {
    CountingPlan(cases: cases.filter { isWanted($0.key) })
  }

  /// Plans what the request names.
  ///
  /// Without names the standard workloads; without schedulers those that a standard workload is
  /// counted on, and for another workload all that a run would measure.
  package init(suite: Suite, request: MeasurementRequest, cpuCount: Int) throws(PlanError) {
    var whole = request
    whole.isQuick = true
    whole.seed = 1
    whole.workers = request.workers ?? [1]
    if whole.workloadNames.isEmpty {
      whole.workloadNames = Self.standard.map(\.workload).filter {
        suite.workload(named: $0) != nil
      }
    }
    // Whatever is wrong with the request is wrong with the whole of it.
    _ = try Planner(suite: suite, request: whole, cpuCount: cpuCount).plan(freshSeed: 1)
    var cases: [CountingCase] = []
    for workload in suite.workloads where whole.workloadNames.contains(workload.name) {
      var own = whole
      own.workloadNames = [workload.name]
      let standard = Self.standard.first { $0.workload == workload.name }
      own.schedulers = request.schedulers ?? standard?.schedulers
      let knobs = suite.schedulers.filter { own.schedulers?.contains($0.name) ?? !$0.isOnRequest }
        .flatMap(\.knobs).map(\.name)
      own.axes = request.axes.filter {
        workload.axis(named: $0.axis) != nil || knobs.contains($0.axis)
      }
      for (axis, value) in standard?.values ?? [:]
      where !own.axes.contains(where: { $0.axis == axis }) {
        own.axes.append(AxisSelection(axis: axis, values: [.number(value)]))
      }
      let plan = try Planner(suite: suite, request: own, cpuCount: cpuCount).plan(freshSeed: 1)
      for (index, group) in plan.groups.enumerated() {
        for (place, contestant) in group.contestants.enumerated() {
          var assignment = plan.assignment(
            round: 0, group: index, contestant: place, timeBudgetNanoseconds: 0)
          assignment.environmentPadding = 0
          cases.append(
            CountingCase(
              key: CountsKey(
                benchmark: group.benchmark, params: group.rowParameters(of: contestant),
                scheduler: contestant.name),
              assignment: assignment))
        }
      }
    }
    self.cases = cases
  }
}
