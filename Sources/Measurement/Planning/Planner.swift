// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Results

/// Turns a request into the list of what is measured.
package struct Planner: Sendable {
  let suite: Suite
  let request: MeasurementRequest
  /// CPUs this process may use.
  let cpuCount: Int

  package init(suite: Suite, request: MeasurementRequest, cpuCount: Int) {
    self.suite = suite
    self.request = request
    self.cpuCount = cpuCount
  }

  /// The plan, or why there is none.
  ///
  /// - Parameter freshSeed: used when the request names no seed. A fixed default would give every
  ///   run the same order, and the pairs their validity comes from the order being random.
  package func plan(freshSeed: UInt64) throws(PlanError) -> MeasurementPlan {
    let (groups, notes) = try groups()
    var plan = MeasurementPlan(
      groups: groups, rounds: request.rounds, roundsAreFixed: request.processes != nil,
      seed: request.seed ?? freshSeed, budget: request.totalBudget,
      budgetIsNamed: request.budget != nil, cpuCount: request.cpus ?? cpuCount, warmups: 1,
      allocator: request.allocator, notes: notes)
    plan.countsAllocations = request.countsAllocations
    if plan.countsAllocations {
      plan.notes.append(
        .allocationsAreCounted(children: groups.reduce(0) { $0 + $1.contestants.count }))
    }
    if let warning = PlanEstimate(plan: plan).warning { plan.notes.append(warning) }
    return plan
  }

  /// What takes part at every point, and what to know about it.
  func groups() throws(PlanError) -> ([MeasurementGroup], notes: [PlanNote]) {
    let schedulers = try chosenSchedulers()
    let references = try chosenReferences()
    if let cpus = request.cpus, cpus > cpuCount {
      throw .tooManyCPUs(asked: cpus, usable: cpuCount)
    }
    let workers = request.workers ?? [request.cpus ?? cpuCount]
    var notes: [PlanNote] = []
    let groups: [MeasurementGroup]
    if request.graphs.isEmpty {
      groups = try workloadGroups(schedulers, references, workers: workers, notes: &notes)
    } else {
      groups = try replayGroups(schedulers, workers: workers, notes: &notes)
      notes += references.map { .referenceCannotReplay($0.name) }
    }
    let usable = request.cpus ?? cpuCount
    for count in workers where count > usable {
      notes.append(.moreWorkersThanCPUs(workers: count, cpus: usable))
      if !request.graphs.isEmpty, request.body == .spin {
        notes.append(.spinningWorkersTakeTurns(workers: count, cpus: usable))
      }
    }
    return (groups, notes)
  }

  private func chosenSchedulers() throws(PlanError) -> [SchedulerEntry] {
    guard let names = request.schedulers else { return suite.schedulers.filter { !$0.isOnRequest } }
    let known = suite.schedulers.map(\.name)
    for name in names where !known.contains(name) {
      try refuseAbsent(name, isReference: false)
      throw .unknownScheduler(
        name, known: known, isReference: suite.reference(named: name) != nil)
    }
    return suite.schedulers.filter { names.contains($0.name) }
  }

  private func chosenReferences() throws(PlanError) -> [ReferenceDescription] {
    let known = suite.references.map(\.name)
    for name in request.references where !known.contains(name) {
      try refuseAbsent(name, isReference: true)
      throw .unknownReference(name, known: known)
    }
    return suite.references.filter { request.references.contains($0.name) }
  }

  /// Throws when the name is known but not in this build: nothing asked for is left out silently.
  private func refuseAbsent(_ name: String, isReference: Bool) throws(PlanError) {
    let absences = suite.absences.filter { $0.isReference == isReference }
    guard let absent = absences.first(where: { $0.name == name }) else { return }
    throw .absent(absent)
  }

  private func workloadGroups(
    _ schedulers: [SchedulerEntry], _ references: [ReferenceDescription], workers: [Int],
    notes: inout [PlanNote]
  ) throws(PlanError) -> [MeasurementGroup] {
    let workloads = try chosenWorkloads()
    try AxisCheck(
      workloads: workloads, schedulers: schedulers, allWorkloads: suite.workloads,
      all: suite.schedulers, workers: workers
    )
    .check(request.axes)
    var groups: [MeasurementGroup] = []
    for workload in workloads {
      for reference in references where reference.workloads[workload.name] == nil {
        notes.append(
          .referenceLacks(reference: reference.name, workload: workload.name))
      }
      let pointsByCount = workers.map { points(of: workload, workers: $0) }
      for place in (pointsByCount.first ?? []).indices {
        for (index, count) in workers.enumerated() {
          let parameters = pointsByCount[index][place]
          let seconds = PlanEstimate.iterationSeconds(of: workload, parameters)
          let members = try members(
            schedulers, workers: workers, index: index, parameters: parameters)
          let guests = references.compactMap { reference in
            contestant(reference, workload: workload.name, parameters: parameters, workers: count)
          }
          guard !(members + guests).isEmpty else { continue }
          groups.append(
            MeasurementGroup(
              suite: MeasurementGroup.coreSuite, benchmark: workload.name,
              summary: workload.summary,
              subject: .workload(workload.name), parameters: parameters, workers: count,
              cpus: request.cpus, settings: [:],
              metrics: Set(workload.metrics.compactMap(Metric.init)),
              contestants: members + guests,
              iterationSeconds: seconds))
        }
      }
    }
    return groups
  }

  private func chosenWorkloads() throws(PlanError) -> [WorkloadDescription] {
    let known = suite.workloads.map(\.name)
    for name in request.workloadNames where !known.contains(name) {
      throw .unknownWorkload(name, known: known)
    }
    var chosen = suite.workloads.filter { workload in
      request.workloadNames.isEmpty
        ? workload.runsByDefault || request.filter != nil || request.tags != nil
        : request.workloadNames.contains(workload.name)
    }
    if let tags = request.tags {
      let known = chosen.reduce(into: []) { known, workload in
        known += workload.tags.filter { !known.contains($0) }
      }
      for tag in tags where !known.contains(tag) { throw .unknownTag(tag, known: known) }
      chosen = chosen.filter { !Set($0.tags).isDisjoint(with: tags) }
    }
    guard let filter = request.filter else { return chosen }
    let regex: Regex<AnyRegexOutput>
    do { regex = try Regex(filter) } catch {
      throw .malformedFilter(filter, reason: "\(error)")
    }
    chosen = chosen.filter { $0.name.contains(regex) }
    guard !chosen.isEmpty else {
      throw .nothingMatches(
        filter: filter,
        candidates: request.workloadNames.isEmpty ? known : request.workloadNames,
        areNamed: !request.workloadNames.isEmpty)
    }
    return chosen
  }

  /// Every combination of the values asked for; axes not named keep their built-in value.
  private func points(of workload: WorkloadDescription, workers: Int) -> [Parameters] {
    var points = [workload.parameters(at: request.isQuick ? .quick : .real)]
    let asked = request.axes.selections(of: workload.name) { workload.axis(named: $0) != nil }
    for selection in asked {
      points = points.flatMap { point in
        selection.values(workers: workers).map { value in
          var changed = point
          changed.set(selection.axis, to: value)
          return changed
        }
      }
    }
    return points
  }

  private func replayGroups(
    _ schedulers: [SchedulerEntry], workers: [Int], notes: inout [PlanNote]
  ) throws(PlanError) -> [MeasurementGroup] {
    if let name = request.workloadNames.first {
      throw .workloadBesideGraphs(name)
    }
    try AxisCheck(
      workloads: [], schedulers: schedulers, allWorkloads: [], all: suite.schedulers,
      workers: workers
    )
    .check(request.axes)
    var groups: [MeasurementGroup] = []
    for graph in request.graphs {
      notes += graph.notes.map(PlanNote.graph)
      let scale = request.timeScale ?? Self.defaultScale(of: graph)
      if graph.totalWorkNanoseconds == 0 {
        notes.append(.noDurations(path: graph.path))
      }
      for (index, count) in workers.enumerated() {
        let members = try members(
          schedulers, workers: workers, index: index, parameters: Parameters())
        guard !members.isEmpty else { continue }
        groups.append(
          MeasurementGroup(
            suite: "replay", benchmark: graph.benchmark, summary: "replay of \(graph.path)",
            subject: .graph(path: graph.file), parameters: Parameters(), workers: count,
            cpus: request.cpus,
            settings: [
              "body": request.body.rawValue, "time-scale": "\(scale)",
              MeasurementGroup.fingerprintKey: graph.fingerprint,
            ],
            metrics: Self.replayMetrics, contestants: members,
            replay: .init(graph: graph, timeScale: scale),
            iterationSeconds: Double(graph.totalWorkNanoseconds) * scale / 1e9, sharesWork: true))
      }
    }
    return groups
  }

  /// What a replay reports.
  static let replayMetrics: Set<Metric> = [
    .makespan, .tasks, .edges, .work, .criticalPath, .efficiency, .efficiencyIdeal, .queueDelay,
  ]

  /// Up to so much work a graph is replayed as recorded: two seconds.
  static let mostUnscaledNanoseconds: Int64 = 2_000_000_000

  /// 1 for a graph with little enough work, else the factor that makes it one second, to three
  /// significant digits.
  static func defaultScale(of graph: GraphSummary) -> Double {
    guard graph.totalWorkNanoseconds > mostUnscaledNanoseconds else { return 1 }
    let exact = 1e9 / Double(graph.totalWorkNanoseconds)
    var digits = exact
    var exponent = 0
    while digits >= 1000 {
      digits /= 10
      exponent += 1
    }
    while digits < 100 {
      digits *= 10
      exponent -= 1
    }
    // Through text, so that the scale prints as it is.
    return Double("\(Int(digits.rounded()))e\(exponent)") ?? exact
  }
}
