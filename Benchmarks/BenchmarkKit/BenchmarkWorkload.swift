// SPDX-License-Identifier: Apache-2.0

internal import Harness
public import Scheduling

/// A program that is timed: made once per process, then iterated.
///
/// Only the thread that made it uses it. What making it prepares costs no figure.
public protocol BenchmarkProgram {
  /// Operations that one iteration runs, 1 or more: the divisor of every per-operation figure.
  var operationsPerIteration: Int { get }

  /// Runs one whole iteration on `scheduler` and stamps its phases.
  ///
  /// Time runs from the call on. `stamps.built()`, `ran()` and `released()` end the phases, in this
  /// order; an iteration without one of them has no figure. The answer is checked after that: an
  /// error says that it is wrong, and ends the measurement.
  func iterate(on scheduler: any Scheduler, _ stamps: inout IterationStamps) throws
}

/// An answer that is not the expected one, for programs without an error of their own.
public struct UnexpectedAnswer: Error, CustomStringConvertible {
  /// What was found and what was expected.
  public var description: String
  /// An error with that text.
  public init(_ description: String) { self.description = description }
}

/// What scales or shapes a workload.
public struct WorkloadAxis: Sendable {
  let axis: Axis
  /// What users type before the `=` of `--where`.
  public var name: String { axis.name }

  /// An axis of whole numbers.
  ///
  /// - Parameters:
  ///   - name: lower-case letters, digits and hyphens.
  ///   - quick: the value under `--quick`.
  ///   - real: the value of other runs.
  ///   - legal: what users may ask for; both values lie in it.
  public init(
    _ name: String, summary: String, quick: Int, real: Int, legal: ClosedRange<Int> = 1...Int.max
  ) {
    axis = Axis(
      name: name, summary: summary, smoke: quick, quick: quick, real: real, legal: legal)
  }

  /// An axis of words, the first of which is meant where nobody says another one.
  public init(_ name: String, summary: String, words: [String]) {
    guard let first = words.first else {
      fatalError("WorkloadAxis '\(name)': no words; expected one or more; name the first one")
    }
    axis = Axis(name: name, summary: summary, always: .word(first), legal: .words(words))
  }
}

/// The values of a workload's axes in one measurement.
public struct WorkloadParameters: Sendable {
  let parameters: Parameters

  /// The number on an axis of whole numbers; asking for another axis stops the process.
  public subscript(_ axis: String) -> Int { parameters[axis] }
  /// The word on an axis of words; asking for another axis stops the process.
  public func word(_ axis: String) -> String { parameters.word(axis) }
}

/// A workload that a program adds to the suite.
///
/// `list` shows it, the command line finds it by its name, and everything that measures, compares,
/// gates or profiles a built-in workload does so with it.
public struct BenchmarkWorkload: Sendable {
  /// Makes the program; an error says why there is none with these parameters.
  public typealias Make = @Sendable (WorkloadParameters) throws -> any BenchmarkProgram

  /// Lower-case letters, digits and hyphens; no other workload has it.
  public var name: String
  /// One line: what it stresses.
  public var summary: String
  /// One line: what its figures do not show.
  public var notShown: String
  /// Words to choose it by, with `--tag`.
  public var tags: [String]
  /// What scales it.
  public var axes: [WorkloadAxis]
  /// Metrics of `list` that it reports beside those that every workload has.
  public var metrics: Set<String>
  /// What one iteration takes one worker, in seconds, for estimates; nil for a microsecond per
  /// operation.
  public var iterationSeconds: (@Sendable (WorkloadParameters) -> Double)?
  /// Makes the program.
  public var make: Make

  /// A workload; see the properties.
  public init(
    name: String, summary: String, notShown: String = "anything else", tags: [String] = ["own"],
    axes: [WorkloadAxis] = [], metrics: Set<String> = [],
    iterationSeconds: (@Sendable (WorkloadParameters) -> Double)? = nil, make: @escaping Make
  ) {
    self.name = name
    self.summary = summary
    self.notShown = notShown
    self.tags = tags
    self.axes = axes
    self.metrics = metrics
    self.iterationSeconds = iterationSeconds
    self.make = make
  }

  /// As the suite knows it.
  var description: WorkloadDescription {
    let (name, make) = (name, make)
    return WorkloadDescription(
      name: name, summary: summary, notShown: notShown, tags: tags, axes: axes.map(\.axis),
      metrics: metrics, iterationSeconds: estimate
    ) { parameters throws(WorkloadError) -> any Workload in
      do {
        let program = try make(WorkloadParameters(parameters: parameters))
        return AddedWorkload(name: name, program: program)
      } catch { throw WorkloadError(message: "\(name): \(error)") }
    }
  }

  private var estimate: (@Sendable (Parameters) -> Double)? {
    guard let seconds = iterationSeconds else { return nil }
    return { seconds(WorkloadParameters(parameters: $0)) }
  }
}
