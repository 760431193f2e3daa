// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// One thing that `doctor` looked at.
package struct Check: Hashable, Sendable {
  /// How that went.
  package enum Status: String, Sendable, CaseIterable {
    /// It was read, and figures are as good as they can be.
    case fine
    /// It was read, and makes figures doubtful.
    case finding
    /// This machine has nothing of the kind, so that nothing can be said of it.
    case absent = "none here"
    /// It is there and this process may not, or cannot, read it: it may be as bad as it likes.
    case unreadable = "not readable"
  }

  /// One or two words.
  package var subject: String
  /// How looking went.
  package var status: Status
  /// What was read, or why nothing was.
  package var value: String
  /// What makes figures doubtful; empty unless the status is `finding`.
  package var findings: [Finding]

  /// A check that was read: fine without findings.
  init(_ subject: String, _ value: String, findings: [Finding] = []) {
    self.subject = subject
    status = findings.isEmpty ? .fine : .finding
    self.value = value
    self.findings = findings
  }

  /// A check whose files are not there, or refused.
  init(_ subject: String, missing paths: [String], in files: SystemFiles, why: String) {
    let refusal = files.refusal(of: paths)
    self.subject = subject
    status = refusal == nil ? .absent : .unreadable
    value = refusal ?? why
    findings = []
  }
}

/// What `doctor` says of this machine.
package struct Diagnosis: Sendable {
  /// Everything that was looked at, in a fixed order.
  package var checks: [Check]
  /// What the primitives cost, measured on the way.
  package var figures: MachineFigures

  /// A diagnosis; see the properties.
  package init(checks: [Check], figures: MachineFigures) {
    self.checks = checks
    self.figures = figures
  }

  /// What makes figures doubtful, the gravest first.
  package var findings: [Finding] {
    checks.flatMap(\.findings).enumerated().sorted {
      ($1.element.severity, $0.offset) < ($0.element.severity, $1.offset)
    }.map(\.element)
  }

  /// What was measured, a line each, whether it is doubtful or not.
  package var measured: [String] { figures.lines }

  /// Looks at this machine now and changes nothing on it; less than 0.5 s.
  package static func now() -> Diagnosis {
    let probe = EnvironmentProbe()
    return Diagnosis(
      checks: EnvironmentProbe.programChecks(probe.facts.files)
        + probe.checks(after: LoadReading.now(probe.facts)),
      figures: probe.figures)
  }
}

/// The processors that this process runs on.
package enum UsableProcessors {
  /// Restricts this thread, and all that it starts, to the first `count` that it may use.
  ///
  /// - Returns: false when it may use fewer.
  package static func restrict(to count: Int) -> Bool { shim_pin(Int32(count)) == 0 }
}
