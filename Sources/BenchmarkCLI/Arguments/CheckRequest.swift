// SPDX-License-Identifier: Apache-2.0

internal import Results

/// What the user wants gated, and against what.
struct CheckRequest: Sendable {
  /// What the candidate is measured against.
  enum Base: Sendable, Equatable {
    /// The merge base with the main branch, or what comes closest.
    case usual
    /// Anything that git takes for a commit.
    case revision(String)
    /// A stored baseline of this machine.
    case baseline(String)
  }

  /// What is measured, written and shown.
  let compare: CompareRequest
  let base: Base
  /// What names the base, for messages.
  var baseOption: String {
    if case .baseline = base { OptionName.baseline.flag } else { OptionName.base.flag }
  }

  /// Path of the limits file; nil for the one of the package.
  let limits: String?
  /// Whether counts are gated as well; nil for where there is a baseline of them.
  let counts: Bool?
  /// Whether something that is not settled fails the gate.
  let requiresConclusion: Bool
  /// Whether something that became better fails the gate.
  let failsOnImprovement: Bool

  var run: RunRequest { compare.run }

  /// The request of a parsed command line.
  ///
  /// - Throws: 64 when options contradict each other.
  init(_ parsed: ParsedArguments) throws(ToolFailure) {
    compare = try CompareRequest(parsed)
    limits = parsed.text(.limits)
    counts = parsed.text(.counts).map { $0 == "on" }
    requiresConclusion = parsed.isOn(.requireConclusive)
    failsOnImprovement = parsed.isOn(.failOnImprovement)
    switch (parsed.text(.base), parsed.text(.baseline)) {
    case (nil, nil): base = .usual
    case (let revision?, nil): base = .revision(revision)
    case (nil, let name?):
      guard Baseline.isNameOfBaseline(name) else {
        throw .usage(
          OptionName.baseline.flag, "`\(name)` is no name of a baseline",
          expected: "1 to 64 of A-Z a-z 0-9 _ -, with no - first",
          next: "`bench baseline list` shows those that there are")
      }
      base = .baseline(name)
    case (_?, _?):
      throw .usage(
        OptionName.baseline.flag, "--base is given as well", expected: "one of the two",
        next: "leave one of them out")
    }
  }
}
