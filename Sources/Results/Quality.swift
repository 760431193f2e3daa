// SPDX-License-Identifier: Apache-2.0

/// One word about how far a figure can be trusted, or why there is none.
package enum QualityFlag: Hashable, Sendable {
  case noisy
  case throttled
  case steal
  case preempted
  case busy
  case debug
  case sanitized
  case checked
  case crashed
  case hung
  case wrongAnswer
  case interrupted
  /// What could not be measured and why, in the characters of a name, such as `no-pmu`.
  case unavailable(reason: String)

  /// The words without a reason, in the order in which they are written.
  package static let plain: [(flag: QualityFlag, word: String)] = [
    (.noisy, "noisy"), (.throttled, "throttled"), (.steal, "steal"),
    (.preempted, "preempted"), (.busy, "busy"), (.debug, "debug"),
    (.sanitized, "sanitized"), (.checked, "checked"), (.crashed, "crashed"), (.hung, "hung"),
    (.wrongAnswer, "wrong-answer"), (.interrupted, "interrupted"),
  ]

  private static let unavailablePrefix = "unavailable:"

  /// Reads one word; nil when it is none of the known ones.
  package init?(text: String) {
    if let known = Self.plain.first(where: { $0.word == text }) {
      self = known.flag
    } else if text.hasPrefix(Self.unavailablePrefix) {
      let reason = String(text.dropFirst(Self.unavailablePrefix.count))
      guard isName(reason) else { return nil }
      self = .unavailable(reason: reason)
    } else {
      return nil
    }
  }

  /// The word in the file.
  package var text: String {
    if case .unavailable(let reason) = self { return Self.unavailablePrefix + reason }
    return Self.plain.first { $0.flag == self }?.word ?? ""
  }

  /// Whether a row with this word has no figure.
  package var isFailure: Bool {
    switch self {
    case .crashed, .hung, .wrongAnswer, .interrupted, .unavailable: true
    case .noisy, .throttled, .steal, .preempted, .busy, .debug, .sanitized, .checked: false
    }
  }

  /// Whether the word is about the build, and so about every figure of it.
  package var isOfBuild: Bool {
    switch self {
    case .debug, .sanitized, .checked: true
    case .noisy, .throttled, .steal, .preempted, .busy, .crashed, .hung, .wrongAnswer,
      .interrupted, .unavailable:
      false
    }
  }

  /// What the word means, in one line.
  package var summary: String {
    switch self {
    case .noisy: "spread too wide for a verdict"
    case .throttled: "the control group ran out of its processor quota"
    case .steal: "the host took processor time away"
    case .preempted: "threads were taken off their CPU far more often than in other pairs"
    case .busy: "other programs used the processors"
    case .debug: "measured in a debug build"
    case .sanitized: "measured under a sanitizer"
    case .checked: "measured with invariant checks"
    case .crashed: "no figure: the measuring process crashed"
    case .hung: "no figure: the measuring process passed its deadline"
    case .wrongAnswer: "no figure: the workload gave a wrong answer"
    case .interrupted: "no figure: the run was interrupted"
    case .unavailable: "no figure: this machine cannot deliver it, reason after the colon"
    }
  }
}

extension Set<QualityFlag> {
  /// The cell of the file: `ok`, or the words in their order joined by `;`.
  package var text: String {
    if isEmpty { return "ok" }
    let reasons = compactMap { flag in
      if case .unavailable = flag { flag.text } else { nil }
    }
    let words = QualityFlag.plain.filter { contains($0.flag) }.map(\.word) + reasons.sorted()
    return words.joined(separator: ";")
  }

  /// Reads the cell of the file; nil when a word is unknown, repeated, or besides `ok`.
  package init?(text: String) {
    self = []
    if text == "ok" { return }
    for word in text.split(separator: ";", omittingEmptySubsequences: false) {
      guard let flag = QualityFlag(text: String(word)), insert(flag).inserted else { return nil }
    }
  }

  /// Whether a row with these words has no figure.
  package var isFailure: Bool { contains(where: \.isFailure) }
}
