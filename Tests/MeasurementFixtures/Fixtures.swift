// SPDX-License-Identifier: Apache-2.0

package import Harness
package import Measurement
package import Results

/// A suite of names only, for rooms that plan, analyse and show: they never make a scheduler or a
/// workload.
package enum Fixtures {
  /// A scheduler of that name; `inline` is the serial baseline.
  package static func scheduler(_ name: String, fixedWorkers: Int? = nil) -> SchedulerEntry {
    SchedulerEntry(
      name: name, summary: "\(name) of the tests", fixedWorkers: fixedWorkers,
      isSerialBaseline: name == "inline"
    ) { _ in
      fatalError("these tests never make a scheduler")
    }
  }

  /// A workload of that name.
  package static func workload(_ name: String, axes: [Axis], metrics: Set<String> = [])
    -> WorkloadDescription
  {
    WorkloadDescription(
      name: name, summary: "\(name) of the tests", notShown: "anything real", tags: ["test"],
      axes: axes, metrics: metrics, make: { (_) throws(WorkloadError) in throw unmakable })
  }

  /// Why nothing is made.
  package static let unmakable = WorkloadError(message: "these tests never make a workload")

  /// An axis of that name.
  package static func axis(_ name: String, real: Int, legal: ClosedRange<Int> = 1...1_000_000)
    -> Axis
  {
    Axis(name: name, summary: "size", smoke: 1, quick: 10, real: real, legal: legal)
  }

  /// Three schedulers, three workloads, one reference.
  package static let suite = Suite(
    schedulers: [
      scheduler("inline", fixedWorkers: 1), scheduler("dispatch"), scheduler("work-stealing"),
    ],
    workloads: [
      workload("chain", axes: [axis("n", real: 100_000)]),
      workload("fan", axes: [axis("rounds", real: 200), axis("width", real: 1000)]),
      workload("latency", axes: [axis("n", real: 500, legal: 1...1000)], metrics: ["latency"]),
    ],
    references: [
      ReferenceDescription(
        name: "foundation", summary: "OperationQueue", caveat: "its own operations",
        workloads: [
          "chain": .init(
            cap: ["n": 5000], make: { (_) throws(WorkloadError) in throw unmakable })
        ])
    ])

  /// The plan of a request at default sizes, changed.
  package static func plan(
    _ change: (inout MeasurementRequest) -> Void = { _ in }, suite: Suite = suite,
    cpuCount: Int = 2, freshSeed: UInt64 = 1
  ) throws(PlanError) -> MeasurementPlan {
    var request = MeasurementRequest()
    change(&request)
    return try Planner(suite: suite, request: request, cpuCount: cpuCount).plan(
      freshSeed: freshSeed)
  }

  /// The identity of a run that never was.
  package static let identity = RunIdentity(
    time: Timestamp(unixSeconds: 1_800_000_000), runID: RunID(unixMilliseconds: 1_800_000_000_000),
    machineID: MachineID(of: EnvironmentRecord()))

  /// What writes the rows of that run.
  package static func writer(flags: Set<QualityFlag> = []) -> RowWriter {
    RowWriter(run: identity, allocator: "jemalloc", buildFlags: flags, cpuCount: 2)
  }

  /// A complete outcome whose iterations took these many nanoseconds per operation.
  package static func outcome(wall: [Double], operations: Int = 1000, latencies: [UInt64] = [])
    -> MeasurementOutcome
  {
    var outcome = MeasurementOutcome()
    outcome.iterations = wall.map { perOperation in
      let total = UInt64(perOperation * Double(operations))
      return IterationSample(
        buildNanoseconds: total / 4, runNanoseconds: total / 2,
        releaseNanoseconds: total - total / 4 - total / 2, cpuNanoseconds: total,
        voluntarySwitches: 0, involuntarySwitches: 0, operations: operations)
    }
    outcome.latencies = latencies
    outcome.peakRSS = 1 << 20
    outcome.elapsedNanoseconds = 10_000_000
    return outcome
  }
}

/// Answers with figures instead of starting children, and keeps what it was asked.
package final class FakeRunner: ChildMeasuring {
  /// What it was asked, in order.
  package private(set) var assignments: [Assignment] = []
  private let answer: (Assignment, Int) -> MeasurementOutcome

  /// - Parameter answer: the outcome of an assignment, given how many have been measured before.
  package init(_ answer: @escaping (Assignment, Int) -> MeasurementOutcome) { self.answer = answer }

  /// The answer.
  package func measure(_ assignment: Assignment, deadline: Duration) -> MeasurementOutcome {
    assignments.append(assignment)
    return answer(assignment, assignments.count - 1)
  }

  /// Constant figures by scheduler, a little different from round to round.
  package static func steady(_ nanoseconds: [String: Double]) -> FakeRunner {
    FakeRunner { assignment, index in
      let base = nanoseconds[assignment.name] ?? 100
      return Fixtures.outcome(wall: [base * (1 + 0.01 * Double(index % 3))])
    }
  }

  /// Nanoseconds by scheduler and round; 100 for a scheduler without any.
  package static func byRound(_ figures: [String: [Double]]) -> FakeRunner {
    var seen: [String: Int] = [:]
    return FakeRunner { assignment, _ in
      let round = seen[assignment.name, default: 0]
      seen[assignment.name] = round + 1
      let values = figures[assignment.name] ?? [100]
      return Fixtures.outcome(wall: [values[round % values.count]])
    }
  }
}

extension Assignment {
  /// Name of the scheduler or reference.
  package var name: String {
    switch system {
    case .scheduler(let name), .reference(let name): name
    }
  }
}
