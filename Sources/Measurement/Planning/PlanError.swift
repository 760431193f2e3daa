// SPDX-License-Identifier: Apache-2.0

package import Harness
package import Results
package import Scheduling

/// Why a request cannot be planned; what to type instead is for whoever shows it.
package enum PlanError: Error, Equatable {
  /// No scheduler of the suite has that name; a reference may.
  case unknownScheduler(String, known: [String], isReference: Bool)
  /// No reference of the suite has that name.
  case unknownReference(String, known: [String])
  /// The name is known, and this build lacks it: nothing asked for is left out silently.
  case absent(AbsentSystem)
  /// More CPUs than this process may use.
  case tooManyCPUs(asked: Int, usable: Int)
  /// No workload of the suite has that name.
  case unknownWorkload(String, known: [String])
  /// A workload beside graphs, which replace the workloads.
  case workloadBesideGraphs(String)
  /// The filter is no regular expression, and why.
  case malformedFilter(String, reason: String)
  /// The filter matches none of the candidates: the workloads that were named, or all.
  case nothingMatches(filter: String, candidates: [String], areNamed: Bool)
  /// A tag that none of the candidates has, with those that they have.
  case unknownTag(String, known: [String])
  /// A value that an axis of a workload does not take; others that were chosen have the axis too,
  /// or none.
  case axisValue(AxisValue, of: Axis, workload: String, isAlone: Bool)
  /// A value that a knob of a scheduler does not take; others that were chosen have the knob too,
  /// or none.
  case knobValue(AxisValue, of: SchedulerKnob, scheduler: String, isAlone: Bool)
  /// Nothing that was chosen has an axis or a knob of that name.
  case unknownAxis(String, AxisKnowledge)
  /// A workload or scheduler before an axis that is not measured; it may exist.
  case unknownOwner(String, axis: String, chosen: [String], exists: Bool)
  /// A workload or scheduler that has no axis or knob of that name, with those that it has.
  case unknownAxisOfOwner(String, owner: String, known: [String])
  /// Values of a scheduler's knobs that do not go together.
  case knobs(scheduler: String, KnobError)
  /// A graph cannot be read; the reader's words, with the place.
  case graph(String)
  /// A path means the graph that another path before it means.
  case sameGraph(String, as: String)
  /// A comparison for which there is no point with two contestants.
  case nothingToCompare
  /// A benchmark does not report a metric that a comparison is to judge.
  case metricNotReported(Metric, benchmark: String, reported: [Metric])
  /// Standard input cannot be kept for the children; the error number.
  case standardInput(Int32)
}

/// The axes and knobs that were there to choose from.
package struct AxisKnowledge: Hashable, Sendable {
  /// A name with the workloads or schedulers that have it.
  package struct Name: Hashable, Sendable {
    package let name: String
    package var owners: [String]
  }

  /// Those of what was chosen, in the order in which they are shown.
  package let chosen: [Name]
  /// Schedulers that were not chosen and have a knob of the name.
  package let otherSchedulers: [String]
  /// Workloads that were not chosen and have an axis of the name.
  package let otherWorkloads: [String]
}
