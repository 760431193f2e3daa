// SPDX-License-Identifier: Apache-2.0

internal import Harness
package import Measurement
internal import Scheduling

extension ToolFailure {
  /// Why a request cannot be planned, in the words of the command line.
  package init(_ error: PlanError) {
    switch error {
    case .unknownScheduler(let name, let known, let isReference):
      self = .usage(
        "--scheduler", "unknown scheduler `\(name)`", expected: known.joined(separator: ", "),
        next: isReference
          ? "it is a reference: --reference \(name)"
          : NearestName.suggestion(for: name, in: known, otherwise: ""))
    case .unknownReference(let name, let known):
      self = .usage(
        "--reference", "unknown reference `\(name)`",
        expected: known.isEmpty ? "none is built in" : known.joined(separator: ", "),
        next: NearestName.suggestion(for: name, in: known, otherwise: ""))
    case .absent(let system):
      self = .usage(
        system.isReference ? "--reference" : "--scheduler",
        "`\(system.name)` is not in this build", expected: system.needs, next: system.remedy)
    case .tooManyCPUs(let asked, let usable):
      self = .usage(
        "--cpus", "\(asked) CPUs asked for, but this process may use \(usable)",
        expected: "1 to \(usable)")
    case .unknownWorkload(let name, let known):
      self = .usage(
        name, "unknown workload",
        next: NearestName.suggestion(
          for: name, in: known, otherwise: "`bench list` shows their names"))
    case .workloadBesideGraphs(let name):
      self = .usage(
        name, "--graph replaces the built-in workloads",
        next: "measure `\(name)` in a run of its own")
    case .malformedFilter(let filter, let reason):
      self = .malformedPattern(filter, reason: reason, place: "--filter")
    case .unknownTag(let tag, let known):
      self = .usage(
        "--tag", "no workload that is chosen has the tag `\(tag)`",
        expected: "one of \(known.joined(separator: ", "))",
        next: NearestName.suggestion(
          for: tag, in: known, otherwise: "`bench list` shows the tags of every workload"))
    case .nothingMatches(let filter, let candidates, let areNamed):
      self.init(
        .nothingMatched, place: "--filter",
        finding: "`\(filter)` matches "
          + (areNamed ? "none of the workloads named" : "no workload"),
        expectation: "one of \(candidates.joined(separator: ", "))",
        nextStep: "`bench list` shows what there is")
    case .nothingToCompare:
      self = .usage(
        "compare", "there is nothing to compare: no benchmark has two contestants",
        expected: "--scheduler A,B, or two values of a knob: --where KNOB=V1,V2",
        next: "`bench list` shows schedulers with their knobs")
    case .metricNotReported(let metric, let benchmark, let reported):
      self = .usage(
        "--metric", "\(benchmark) has no figure of \(metric.rawValue) to judge",
        expected: reported.map(\.rawValue).joined(separator: ", "))
    case .axisValue, .knobValue, .unknownAxis, .unknownOwner, .unknownAxisOfOwner, .knobs:
      self = Self.ofAxes(error)
    case .graph(let text): self.init(.malformedInput, place: "--graph", finding: text)
    case .sameGraph(let path, let other):
      self = .usage(
        "--graph",
        path == other ? "`\(path)` is named twice" : "`\(path)` is the same graph as `\(other)`",
        expected: "every graph once", next: "leave one of them out")
    case .standardInput(let number):
      self.init(
        .malformedInput, place: "--graph -",
        finding: "standard input cannot be read: \(errorText(number))",
        expectation: "a graph of less than 2 GiB", nextStep: "name a file")
    }
  }

  private static func ofAxes(_ error: PlanError) -> ToolFailure {
    switch error {
    case .axisValue(let value, let axis, let workload, let isAlone):
      .usage(
        "--where", refusal(of: value, for: axis, of: workload), expected: axis.legalText,
        next: isAlone
          ? ""
          : "to set it for another alone, write WORKLOAD.\(axis.name)=…; to leave \(workload) out, "
            + "name the workloads to measure")
    case .knobValue(let value, let knob, let scheduler, let isAlone):
      .usage(
        "--where", refusal(of: value, for: knob, of: scheduler), expected: knob.legalText,
        next: isAlone
          ? "" : "to leave \(scheduler) out, name the schedulers to measure with --scheduler")
    case .unknownAxis(let name, let knowledge): unknownAxis(name, knowledge)
    case .unknownOwner(let owner, let axis, let chosen, let exists):
      .usage(
        "--where",
        exists
          ? "`\(owner)` of `\(owner).\(axis)` is not measured"
          : "`\(owner)` of `\(owner).\(axis)` is no workload or scheduler",
        expected: "one of \(chosen.joined(separator: ", "))",
        next: exists
          ? "name it as well, or leave its axis out"
          : NearestName.suggestion(
            for: owner, in: chosen, otherwise: "`bench list` shows every one"))
    case .unknownAxisOfOwner(let axis, let owner, let known):
      .usage(
        "--where", "\(owner) has no axis or knob `\(axis)`",
        expected: known.isEmpty ? "none" : "one of \(known.joined(separator: ", "))",
        next: NearestName.suggestion(
          for: axis, in: known, otherwise: "`bench list \(owner)` shows what it has"))
    case .knobs(let scheduler, let error):
      .usage(
        "--where", "\(scheduler): \(error.finding)", expected: error.expectation,
        next: error.nextStep)
    default: fatalError("ToolFailure: \(error) is no error of an axis; see init(_: PlanError)")
    }
  }

  private static func refusal(of value: AxisValue, for axis: Axis, of workload: String) -> String {
    let text = "\(axis.name)=\(value)"
    switch (axis.legal, value) {
    case (.words, _): return "\(text) is no value that \(workload) knows"
    case (_, .word): return "\(text) is not a number"
    case (.numbers, .decimal): return "\(text) is not a whole number"
    default: return "\(text) is out of range for \(workload)"
    }
  }

  private static func refusal(of value: AxisValue, for knob: SchedulerKnob, of scheduler: String)
    -> String
  {
    switch value {
    case .decimal: "\(knob.name)=\(value) is not a whole number"
    case .number where knob.numbers != nil: "\(knob.name)=\(value) is out of range for \(scheduler)"
    case .word where knob.words.isEmpty: "\(knob.name)=\(value) is not a number"
    default: "\(knob.name)=\(value) is no value that \(scheduler) knows"
    }
  }

  private static func unknownAxis(_ name: String, _ knowledge: AxisKnowledge) -> ToolFailure {
    // `n (chain, cancel), width (fan), spin-us (thread-pool, work-stealing)`.
    let list = knowledge.chosen.map { "\($0.name) (\($0.owners.joined(separator: ", ")))" }
      .joined(separator: ", ")
    let expected = knowledge.chosen.isEmpty ? "none" : "one of \(list)"
    if !knowledge.otherSchedulers.isEmpty {
      return .usage(
        "--where", "no chosen scheduler has the knob `\(name)`", expected: expected,
        next: "\(knowledge.otherSchedulers.joined(separator: ", ")) would have it: add it to "
          + "--scheduler")
    }
    if !knowledge.otherWorkloads.isEmpty {
      return .usage(
        "--where", "no chosen workload has the axis `\(name)`", expected: expected,
        next: "it is an axis of \(knowledge.otherWorkloads.joined(separator: ", "))")
    }
    return .usage(
      "--where", "unknown axis `\(name)`", expected: expected,
      next: NearestName.suggestion(
        for: name, in: knowledge.chosen.map(\.name),
        otherwise: "`bench list` shows every axis and every knob"))
  }

  /// A text that is no regular expression.
  static func malformedPattern(_ text: String, reason: String, place: String) -> ToolFailure {
    .usage(
      place, "`\(text)` is no regular expression: \(reason)", expected: "Swift's regex syntax",
      next: "quote it for the shell, or escape special characters with \\")
  }
}

extension ToolFailure {
  /// What keeps every child from measuring, in the words of the command line.
  init(_ obstacle: Obstacle) {
    switch obstacle {
    case .allocator(let allocator, let reason):
      self = .usage("--allocator \(allocator.rawValue)", reason)
    case .shortage(let shortage):
      self.init(
        .internalFault, place: "this system", finding: shortage.finding,
        expectation: shortage.expectation, nextStep: shortage.remedy)
    }
  }
}
