// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Results
package import Scheduling

/// Why a program's own workload or scheduler cannot be in the suite.
package struct AdditionError: Error, Equatable {
  /// Finding, expectation and next step.
  package var message: String
}

/// What a program adds to the suite.
package struct Additions: Sendable {
  private var workloads: [BenchmarkWorkload]
  private var schedulers: [TunableScheduler]

  /// What `Benchmarks.main` is passed.
  package init(
    workloads: [BenchmarkWorkload],
    schedulers: [(name: String, make: @Sendable (_ workers: Int) -> any Scheduler)],
    tunable: [TunableScheduler]
  ) {
    self.workloads = workloads
    self.schedulers =
      schedulers.map { added in
        TunableScheduler(name: added.name, knobs: []) { workers, _ in added.make(workers) }
      } + tunable
  }

  /// Adds everything, or throws when a name is illegal or taken.
  package func add(to suite: inout Suite) throws(AdditionError) {
    // Workloads first: their axes are names that no knob may have.
    for workload in workloads { suite.workloads.append(try entry(workload, in: suite)) }
    for scheduler in schedulers { suite.schedulers.append(try entry(scheduler, in: suite)) }
  }

  private func entry(
    _ added: BenchmarkWorkload, in suite: Suite
  ) throws(AdditionError) -> WorkloadDescription {
    guard Self.isLegal(added.name), suite.workload(named: added.name) == nil else {
      throw .taken("workload", added.name)
    }
    // A knob or a parameter of every run, by whose name an axis could not be asked for.
    var taken = Set(suite.schedulers.flatMap { $0.knobs.map(\.name) })
      .union(Suite.reservedNames)
    for axis in added.axes {
      guard Self.isLegal(axis.name), taken.insert(axis.name).inserted else {
        throw AdditionError(
          message: "the axis \"\(axis.name)\" of \(added.name) is illegal, or has the name of "
            + "another of its axes, of a knob or of a parameter; expected lower-case letters, digits "
            + "and hyphens that mean nothing else; rename the axis")
      }
    }
    for metric in added.metrics where Metric(rawValue: metric) == nil {
      throw AdditionError(
        message: "the metric \"\(metric)\" of \(added.name) is unknown; expected one that `list` "
          + "names; leave out metrics of your own, which begin with x-")
    }
    return added.description
  }

  private func entry(
    _ added: TunableScheduler, in suite: Suite
  ) throws(AdditionError) -> SchedulerEntry {
    guard Self.isLegal(added.name), suite.scheduler(named: added.name) == nil else {
      throw .taken("scheduler", added.name)
    }
    var taken = suite.namesTaken
    for knob in added.knobs where !taken.insert(knob.name).inserted {
      throw AdditionError(
        message: "the knob \"\(knob.name)\" of \(added.name) has the name of another knob, an axis "
          + "or a parameter; expected a name that means nothing else; rename the knob")
    }
    return SchedulerEntry(name: added.name, summary: added.summary, knobs: added.knobs) {
      workers, settings throws(KnobError) in
      added.make(workers, settings.completed(by: added.knobs))
    }
  }

  private static func isLegal(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}

extension AdditionError {
  fileprivate static func taken(_ kind: String, _ name: String) -> AdditionError {
    AdditionError(
      message:
        "the \(kind) name \"\(name)\" is taken or illegal; expected a new name of lower-case "
        + "letters, digits and hyphens; rename the \(kind)")
  }
}
