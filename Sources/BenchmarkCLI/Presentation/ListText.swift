// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Results
internal import Scheduling
package import SuiteFiles

/// What `bench list` prints.
package struct ListText: Sendable {
  let suite: Suite

  private let selections: [SuiteFile]
  private let showsMetrics: Bool

  /// - Parameters:
  ///   - suite: what there is to list.
  ///   - selections: suites that users call by name.
  ///   - names: what of it is listed, without the metrics; everything when there are none.
  package init(suite: Suite, selections: [SuiteFile] = [], only names: [String] = []) {
    showsMetrics = names.isEmpty
    self.selections = names.isEmpty ? selections : []
    self.suite =
      names.isEmpty
      ? suite
      : Suite(
        schedulers: suite.schedulers.filter { names.contains($0.name) },
        workloads: suite.workloads.filter { names.contains($0.name) },
        references: suite.references.filter { names.contains($0.name) })
  }

  /// Workloads with axes and defaults, schedulers with knobs and defaults, references, metrics.
  package func text(style: TerminalStyle) -> String {
    var lines: [String] = []
    func head(_ text: String, _ remark: String = "") {
      if !lines.isEmpty { lines.append("") }
      lines.append(style.paint(text, .strong) + remark)
    }
    if !suite.workloads.isEmpty { head("workloads") }
    for workload in suite.workloads {
      lines += HelpText.entry(left: workload.name, summary: workload.summary)
      lines += HelpText.entry(left: "", summary: "does not show: \(workload.notShown)")
      for axis in workload.axes {
        lines += HelpText.entry(
          left: "  \(axis.name)=\(axis.real)",
          summary: "\(axis.summary); with --quick \(axis.quick); \(axis.legalText)")
      }
      if !workload.runsByDefault {
        lines += HelpText.entry(left: "", summary: "measured only when named")
      }
      if !workload.tags.isEmpty {
        lines += HelpText.entry(left: "", summary: "tags: \(workload.tags.joined(separator: ", "))")
      }
    }
    if !suite.schedulers.isEmpty { head("schedulers") }
    for scheduler in suite.schedulers {
      let fixed = scheduler.fixedWorkers.map { " (always \($0) worker\($0 == 1 ? "" : "s"))" }
      let asked = scheduler.isOnRequest ? " (only with --scheduler \(scheduler.name))" : ""
      lines += HelpText.entry(
        left: scheduler.name, summary: scheduler.summary + (fixed ?? "") + asked)
      for knob in scheduler.knobs {
        lines += HelpText.entry(
          left: "  \(knob.name)=\(knob.defaultValue)",
          summary: "\(knob.summary); \(knob.legalText)")
      }
    }
    lines += absences(isReference: false)
    if !suite.references.isEmpty {
      head("references", " (--reference NAME)")
      for reference in suite.references {
        lines += HelpText.entry(
          left: reference.name, summary: "\(reference.summary); \(reference.caveat)")
      }
    }
    lines += absences(isReference: true)
    if !selections.isEmpty { head("suites", " (--suite NAME)") }
    for selection in selections {
      lines += HelpText.entry(
        left: selection.name,
        summary: "\(selection.summary); about \(selection.expected) on two CPUs")
    }
    if showsMetrics {
      head("metrics")
      for metric in Metric.allCases {
        lines += HelpText.entry(
          left: "\(metric.rawValue)  \(metric.unit)", summary: metric.summary)
      }
      lines += HelpText.entry(left: "\(OwnMetric.prefix)NAME  1", summary: OwnMetric.summary)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What the build lacks, under the systems of the same kind.
  private func absences(isReference: Bool) -> [String] {
    suite.absences.filter { $0.isReference == isReference }.flatMap {
      HelpText.entry(left: $0.name, summary: "not in this build; needs \($0.needs): \($0.remedy)")
    }
  }

  /// An array with one object per workload: name, summary, tags, axes.
  package var json: String {
    JSONValue.array(
      suite.workloads.map { workload in
        .object([
          ("name", .string(workload.name)), ("summary", .string(workload.summary)),
          ("tags", .array(workload.tags.map(JSONValue.string))),
          ("axes", .array(workload.axes.map(Self.json))),
        ])
      }
    ).list
  }

  private static func json(_ axis: Axis) -> JSONValue {
    let legal: [(String, JSONValue)] =
      switch axis.legal {
      case .numbers(let range):
        [("minimum", .integer(range.lowerBound)), ("maximum", .integer(range.upperBound))]
      case .decimals(let range):
        [("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound))]
      case .words(let words): [("values", .array(words.map(JSONValue.string)))]
      }
    return .object(
      [
        ("name", .string(axis.name)), ("summary", .string(axis.summary)),
        ("real", json(axis.real)), ("quick", json(axis.quick)), ("smoke", json(axis.smoke)),
      ] + legal)
  }

  /// A decimal is a string, so that its digits stay.
  private static func json(_ value: AxisValue) -> JSONValue {
    value.number.map { .integer($0) } ?? .string(value.description)
  }
}
