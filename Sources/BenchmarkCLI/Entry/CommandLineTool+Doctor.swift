// SPDX-License-Identifier: Apache-2.0

internal import Machine

extension CommandLineTool {
  /// `bench doctor`: what about this machine makes figures doubtful; exit code 1 when there is
  /// something.
  func doctor(_ parsed: ParsedArguments) throws(ToolFailure) -> ExitCode {
    let diagnosis = EnvironmentProbe.diagnose()
    try console.out(Self.doctorText(diagnosis, style: style(parsed.text(.color))))
    return diagnosis.findings.isEmpty ? .success : .findings
  }

  /// What was measured, then the findings with their remedies, the gravest first.
  static func doctorText(_ diagnosis: Diagnosis, style: TerminalStyle) -> String {
    let findings = diagnosis.findings
    var lines = diagnosis.measured.map { "measured: \($0)" }
    guard !findings.isEmpty else {
      lines.append("nothing about this machine makes figures doubtful")
      return lines.joined(separator: "\n") + "\n"
    }
    lines.append("")
    for finding in findings {
      let emphasis: Emphasis =
        switch finding.severity {
        case .severe: .bad
        case .warning: .doubtful
        case .note: .faint
        }
      lines.append(
        style.paint("\(finding.severity.rawValue): ", emphasis)
          + style.paint(finding.title, .strong))
      for (label, text) in [
        ("found", finding.found), ("so", finding.consequence), ("remedy", finding.remedy),
      ] {
        lines += HelpText.entry(left: label, summary: text, indent: 10)
      }
    }
    lines += ["", "\(findings.count) finding\(findings.count == 1 ? "" : "s")"]
    return lines.joined(separator: "\n") + "\n"
  }
}
