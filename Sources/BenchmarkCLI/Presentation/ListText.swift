// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Results
internal import Scheduling

/// What `bench list` prints.
package struct ListText: Sendable {
  let suite: Suite

  /// - Parameter suite: what there is to list.
  package init(suite: Suite) { self.suite = suite }

  /// Workloads with axes and defaults, schedulers with knobs and defaults, references, metrics.
  package func text(style: TerminalStyle) -> String {
    var lines = [style.paint("workloads", .strong)]
    for workload in suite.workloads {
      lines += HelpText.entry(left: workload.name, summary: workload.summary)
      lines += HelpText.entry(left: "", summary: "does not show: \(workload.notShown)")
      for axis in workload.axes {
        let range = "\(axis.legal.lowerBound) to \(axis.legal.upperBound)"
        lines += HelpText.entry(
          left: "  \(axis.name)=\(axis.real)",
          summary: "\(axis.summary); with --quick \(axis.quick); \(range)")
      }
      if !workload.runsByDefault {
        lines += HelpText.entry(left: "", summary: "measured only when named")
      }
      if !workload.tags.isEmpty {
        lines += HelpText.entry(left: "", summary: "tags: \(workload.tags.joined(separator: ", "))")
      }
    }
    lines += ["", style.paint("schedulers", .strong)]
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
      lines += ["", style.paint("references", .strong) + " (--reference NAME)"]
      for reference in suite.references {
        lines += HelpText.entry(
          left: reference.name, summary: "\(reference.summary); \(reference.caveat)")
      }
    }
    lines += absences(isReference: true)
    lines += ["", style.paint("metrics", .strong)]
    for metric in Metric.allCases {
      lines += HelpText.entry(
        left: "\(metric.rawValue)  \(metric.unit)", summary: metric.summary)
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
    JSONText.array(
      suite.workloads.map { workload in
        .object([
          ("name", .string(workload.name)), ("summary", .string(workload.summary)),
          ("tags", .array(workload.tags.map(JSONText.string))),
          ("axes", .array(workload.axes.map(Self.json))),
        ])
      }
    ).document
  }

  private static func json(_ axis: Axis) -> JSONText {
    .object([
      ("name", .string(axis.name)), ("summary", .string(axis.summary)),
      ("real", .integer(axis.real)), ("quick", .integer(axis.quick)),
      ("smoke", .integer(axis.smoke)), ("minimum", .integer(axis.legal.lowerBound)),
      ("maximum", .integer(axis.legal.upperBound)),
    ])
  }
}
