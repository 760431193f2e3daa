// SPDX-License-Identifier: Apache-2.0

internal import Harness

extension CommandLineTool {
  /// `bench doctor`: what about this machine makes figures doubtful; exit code 1 when there is something.
  func doctor(_ parsed: ParsedArguments) -> ExitCode {
    let findings = EnvironmentProbe.findings()
    console.out(Self.doctorText(findings, style: style(parsed.text(.color))))
    return findings.isEmpty ? .success : .findings
  }

  /// The findings with their remedies, the gravest first.
  static func doctorText(_ findings: [Finding], style: TerminalStyle) -> String {
    guard !findings.isEmpty else { return "nothing about this machine makes figures doubtful\n" }
    var lines: [String] = []
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
