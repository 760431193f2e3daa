// SPDX-License-Identifier: Apache-2.0

internal import Machine

extension CommandLineTool {
  /// `bench doctor`: what about this machine makes figures doubtful; exit code 1 when there is
  /// something.
  func doctor(_ parsed: ParsedArguments) throws(ToolFailure) -> ExitCode {
    if let count = parsed.count(.cpus), !UsableProcessors.restrict(to: count) {
      throw .usage(
        "--cpus", "\(count) CPUs asked for, but this process may not use so many",
        expected: "as many as it may use, or fewer", next: "`nproc` says how many those are")
    }
    let text = DoctorText(Diagnosis.now())
    try console.out(
      parsed.text(.format) == "json"
        ? text.json : text.text(style: style(parsed.text(.color))))
    return text.diagnosis.findings.isEmpty ? .success : .findings
  }
}
