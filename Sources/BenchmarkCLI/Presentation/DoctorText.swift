// SPDX-License-Identifier: Apache-2.0

internal import Machine
internal import Results

/// How `doctor` shows what it found.
struct DoctorText {
  /// What it found.
  let diagnosis: Diagnosis

  /// Shows a diagnosis.
  init(_ diagnosis: Diagnosis) { self.diagnosis = diagnosis }

  /// What was measured, the findings with their remedies, the gravest first, and everything that
  /// was looked at.
  func text(style: TerminalStyle) -> String {
    var lines = diagnosis.measured.map { "measured: \($0)" } + [""]
    for finding in diagnosis.findings { lines += Self.lines(of: finding, style) }
    if !diagnosis.findings.isEmpty { lines.append("") }
    lines.append("looked at")
    for check in diagnosis.checks {
      lines += HelpText.entry(
        left: check.subject, summary: "\(check.status.rawValue): \(check.value)")
    }
    lines += ["", conclusion]
    return lines.joined(separator: "\n") + "\n"
  }

  /// The same for a program: one object.
  var json: String {
    let figures = diagnosis.figures
    return JSONValue.object([
      (
        "measured",
        .object([
          ("clock_cost_ns", .number(figures.clockCostNanoseconds)),
          ("clock_step_ns", .literal("\(figures.clockStepNanoseconds)")),
          ("empty_bench_ns", .literal("\(figures.emptyBenchNanoseconds)")),
          ("wakeup_cost_ns", figures.wakeUpNanoseconds.map { .literal("\($0)") } ?? .null),
          ("two_thread_speedup", figures.twoThreadSpeedup.map(JSONValue.number) ?? .null),
        ])
      ),
      ("checks", .array(diagnosis.checks.map(Self.json))),
      ("findings", .integer(diagnosis.findings.count)),
    ]).document
  }

  private static func json(_ check: Check) -> JSONValue {
    .object([
      ("subject", .string(check.subject)), ("status", .string(check.status.rawValue)),
      ("value", .string(check.value)),
      (
        "findings",
        .array(
          check.findings.map { finding in
            .object([
              ("severity", .string(finding.severity.rawValue)), ("title", .string(finding.title)),
              ("found", .string(finding.found)), ("effect", .string(finding.consequence)),
              ("remedy", .string(finding.remedy)),
            ])
          })
      ),
    ])
  }

  private static func lines(of finding: Machine.Finding, _ style: TerminalStyle) -> [String] {
    let emphasis: Emphasis =
      switch finding.severity {
      case .severe: .bad
      case .warning: .doubtful
      case .note: .faint
      }
    let heading =
      style.paint("\(finding.severity.rawValue): ", emphasis)
      + style.paint(finding.title, .strong)
    return [heading]
      + [("found", finding.found), ("so", finding.consequence), ("remedy", finding.remedy)]
      .flatMap { (label, text) in HelpText.entry(left: label, summary: text, indent: 10) }
  }

  private var conclusion: String {
    let count = diagnosis.findings.count
    let unread = diagnosis.checks.count { $0.status == .unreadable }
    let unknown = unread == 0 ? "" : "; \(unread) of \(diagnosis.checks.count) cannot be read"
    guard count > 0 else {
      return "nothing that can be seen makes figures doubtful\(unknown)"
    }
    return "\(count) finding\(count == 1 ? "" : "s")\(unknown)"
  }
}
