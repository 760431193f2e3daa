// SPDX-License-Identifier: Apache-2.0

package import Scheduling

/// A program that is timed: prepared once per process, then iterated.
///
/// Only the thread that made it uses it. What `make` prepares, the serial reference answer
/// included, costs no figure.
package protocol Workload {
  /// Operations that one iteration runs, 1 or more: the divisor of every per-operation figure.
  var operationsPerIteration: Int { get }

  /// Runs one whole iteration on `scheduler`, stamps its phases on `recorder` and checks the
  /// answer.
  ///
  /// The check belongs after `recorder.released()`.
  func iterate(on scheduler: any Scheduler, recorder: inout IterationRecorder) throws(WrongAnswer)
}

/// A program for a system that is measured whole, with its own operations, instead of through the
/// scheduler seam.
package protocol ReferenceWorkload {
  /// Operations that one iteration runs, 1 or more.
  var operationsPerIteration: Int { get }

  /// Runs one whole iteration with at most `workers` operations at a time, as `Workload.iterate`
  /// does.
  func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer)
}

/// An iteration computed something else than the serial reference.
package struct WrongAnswer: Error, Equatable, CustomStringConvertible {
  /// What was found and what was expected.
  package var message: String
  /// A wrong answer with that message.
  package init(message: String) { self.message = message }
  /// The message.
  package var description: String { message }
}

/// A workload cannot be made from these parameters or that file.
package struct WorkloadError: Error, Equatable, CustomStringConvertible {
  /// Finding, expectation and next step.
  package var message: String
  /// A word for the column `quality`: `workload`, or what this machine lacks, as in `no-libcrypto`.
  package var reason: String
  /// An error with that message.
  package init(message: String, reason: String = "workload") {
    self.message = message
    self.reason = reason
  }
  /// The message.
  package var description: String { message }
}

/// What is known about a workload before it is made.
package struct WorkloadDescription: Sendable {
  /// Makes the workload; everything that is prepared here is outside the figures.
  package typealias Make = @Sendable (Parameters) throws(WorkloadError) -> any Workload

  /// Lower case letters and hyphens; unique in the suite.
  package var name: String
  /// One line: what it stresses.
  package var summary: String
  /// One line: what its figures do not show.
  package var notShown: String
  /// Words to filter by.
  package var tags: [String]
  /// Measured also when nobody names a workload.
  package var runsByDefault: Bool
  /// What scales it.
  package var axes: [Axis]
  /// Metrics that it reports besides the ones every workload has, by their registry names.
  package var metrics: Set<String>
  /// What one iteration is expected to take one worker, in seconds, for estimates alone.
  ///
  /// Nil where an operation takes about a microsecond: the operations are counted then by making
  /// the workload, so one whose `make` is slow says its time itself.
  package var iterationSeconds: (@Sendable (Parameters) -> Double)?
  /// Makes the workload.
  package var make: Make

  /// A description; see the properties.
  package init(
    name: String, summary: String, notShown: String, tags: [String], runsByDefault: Bool = true,
    axes: [Axis], metrics: Set<String> = [],
    iterationSeconds: (@Sendable (Parameters) -> Double)? = nil, make: @escaping Make
  ) {
    self.name = name
    self.summary = summary
    self.notShown = notShown
    self.tags = tags
    self.runsByDefault = runsByDefault
    self.axes = axes
    self.metrics = metrics
    self.iterationSeconds = iterationSeconds
    self.make = make
  }

  /// The built-in parameters of one size.
  package func parameters(at size: AxisSize) -> Parameters {
    Parameters(
      Dictionary(
        axes.map { ($0.name, $0.value(at: size)) }, uniquingKeysWith: { first, _ in first }
      ))
  }

  /// What the warm-up of a measurement with `parameters` runs with.
  package func warmUpParameters(for parameters: Parameters) -> Parameters {
    parameters.capped(
      at: Dictionary(
        axes.compactMap { axis in axis.warmUp.map { (axis.name, $0) } },
        uniquingKeysWith: { first, _ in first }))
  }

  /// The axis of that name.
  package func axis(named name: String) -> Axis? { axes.first { $0.name == name } }
}

/// What is known about a system that is measured whole.
package struct ReferenceDescription: Sendable {
  /// One workload of the system: the same program by the same name.
  package struct Program: Sendable {
    /// Makes the workload.
    package typealias Make = @Sendable (Parameters) throws(WorkloadError) -> any ReferenceWorkload

    /// The largest value that an axis may have, for axes on which the system is superlinear or
    /// crashes.
    package var cap: [String: Int]
    /// Makes the workload.
    package var make: Make

    /// A program; see the properties.
    package init(cap: [String: Int] = [:], make: @escaping Make) {
      self.cap = cap
      self.make = make
    }

    /// The parameters with every capped axis cut to its cap.
    package func capped(_ parameters: Parameters) -> Parameters {
      parameters.capped(at: cap)
    }
  }

  /// How many workers the system has.
  package enum Width: Hashable, Sendable {
    /// As many as users ask for.
    case asked
    /// Always that many.
    case fixed(Int)
    /// As many as CPUs: it starts its threads itself and takes no number.
    case cpus
  }

  /// Lower case letters and hyphens, as in `--reference foundation`.
  package var name: String
  /// One line.
  package var summary: String
  /// Printed beside its figures.
  package var caveat: String
  /// How many workers it has.
  package var width: Width
  /// Its programs by the name of the workload.
  package var workloads: [String: Program]

  /// A description; see the properties.
  package init(
    name: String, summary: String, caveat: String, width: Width = .asked,
    workloads: [String: Program]
  ) {
    self.name = name
    self.summary = summary
    self.caveat = caveat
    self.width = width
    self.workloads = workloads
  }
}
