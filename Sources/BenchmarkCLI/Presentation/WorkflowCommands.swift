// SPDX-License-Identifier: Apache-2.0

internal import Gate

/// What GitHub Actions takes from the output of a step: annotations, one on each line.
///
/// Source: docs.github.com, "Workflow commands for GitHub Actions".
enum WorkflowCommands {
  /// An error for every regression and failure, a warning for what is not settled or not judged,
  /// else a notice.
  static func annotations(_ report: GateReport) -> [String] {
    let result = report.result
    var lines = result.regressions.map { command("error", report.sentence($0).text) }
    lines += result.failures.map { command("error", "\($0.subject.text): \($0.story)") }
    switch result.verdict {
    case .regression, .failed: break
    case .unjudged, .inconclusive: lines.append(command("warning", report.headline))
    case .improvement, .held: lines.append(command("notice", report.headline))
    }
    return lines
  }

  private static func command(_ level: String, _ message: String) -> String {
    let escaped = message.replacing("%", with: "%25").replacing("\r", with: "%0D")
      .replacing("\n", with: "%0A")
    return "::\(level) title=bench check::\(escaped)"
  }
}
