// SPDX-License-Identifier: Apache-2.0

import Harness
import Results

@testable import BenchmarkCLI

/// A suite of names only: planning and showing never make a scheduler or a workload.
enum Fixtures {
  static func scheduler(_ name: String, fixedWorkers: Int? = nil) -> SchedulerEntry {
    SchedulerEntry(
      name: name, summary: "\(name) of the tests", fixedWorkers: fixedWorkers,
      isSerialBaseline: name == "inline"
    ) { _ in
      fatalError("the tests of this room never make a scheduler")
    }
  }

  static func workload(_ name: String, axes: [Axis], metrics: Set<String> = [])
    -> WorkloadDescription
  {
    WorkloadDescription(
      name: name, summary: "\(name) of the tests", notShown: "anything real", tags: ["test"],
      axes: axes, metrics: metrics, make: { (_) throws(WorkloadError) in throw unmakable })
  }

  static let unmakable = WorkloadError(message: "the tests of this room never make a workload")

  static func axis(_ name: String, real: Int, legal: ClosedRange<Int> = 1...1_000_000) -> Axis {
    Axis(name: name, summary: "size", smoke: 1, quick: 10, real: real, legal: legal)
  }

  static let suite = Suite(
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

  static func plan(
    _ change: (inout RunRequest) -> Void = { _ in }, cpuCount: Int = 2,
    graphs: [GraphSummary] = [], freshSeed: UInt64 = 1
  ) throws(ToolFailure) -> MeasurementPlan {
    var request = RunRequest()
    change(&request)
    return try Planner(suite: suite, request: request, cpuCount: cpuCount, graphs: graphs)
      .plan(freshSeed: freshSeed)
  }

  /// A complete outcome whose iterations took these many nanoseconds per operation.
  static func outcome(wall: [Double], operations: Int = 1000, latencies: [UInt64] = [])
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
final class FakeRunner: ChildMeasuring {
  private(set) var assignments: [Assignment] = []
  private let answer: (Assignment, Int) -> MeasurementOutcome

  /// - Parameter answer: the outcome of an assignment, given how many have been measured before.
  init(_ answer: @escaping (Assignment, Int) -> MeasurementOutcome) { self.answer = answer }

  func measure(_ assignment: Assignment, deadline: Duration) -> MeasurementOutcome {
    assignments.append(assignment)
    return answer(assignment, assignments.count - 1)
  }

  /// Constant figures by scheduler, a little different from round to round.
  static func steady(_ nanoseconds: [String: Double]) -> FakeRunner {
    FakeRunner { assignment, index in
      let base = nanoseconds[assignment.name] ?? 100
      return Fixtures.outcome(wall: [base * (1 + 0.01 * Double(index % 3))])
    }
  }
}

extension Assignment {
  /// Name of the scheduler or reference.
  var name: String {
    switch system {
    case .scheduler(let name), .reference(let name): name
    }
  }
}
