// SPDX-License-Identifier: Apache-2.0

package import Results

/// One line of a limits file: whom it is about, and what it allows them.
///
/// A plain value; any thread.
package struct LimitRule: Sendable, Hashable {
  /// What is allowed.
  ///
  /// A *limit* is a bound of its own, a *tolerance* a distance from the base.
  package enum Allowance: Sendable, Hashable {
    /// Worse than the base by this fraction at most; 0 or more.
    case tolerance(Double)
    /// No worse than this value in the unit of the metric; above 0.
    case limit(Double)
    /// Anything: it does not gate.
    case off

    /// The word of the line.
    package var word: String {
      switch self {
      case .tolerance: "tolerance"
      case .limit: "limit"
      case .off: "off"
      }
    }

    /// Every word that there is.
    static let words = ["tolerance", "limit", "off"]
  }

  /// Name of a workload; nil for all.
  package let workload: String?
  /// Name of a scheduler; nil for all.
  package let scheduler: String?
  /// Nil for all figures.
  package let figure: FigureKey?
  package let allowance: Allowance
  /// The line that says so, counted from 1.
  package let line: Int

  /// Whether it is about that subject.
  func matches(_ subject: GateSubject) -> Bool {
    (workload ?? subject.workload) == subject.workload
      && (scheduler ?? subject.scheduler) == subject.scheduler
      && (figure ?? subject.figure) == subject.figure
  }
}

/// What a limits file says of one subject.
///
/// A plain value; any thread.
package struct Ruling: Sendable, Hashable {
  package let gateClass: GateClass
  /// How much worse than the base it may be, as a fraction; nil when the base does not matter.
  package let tolerance: Double?
  /// The worst value that it may have, in the unit of its metric; nil when it has no limit.
  package let limit: Double?
  /// The line that keeps it out of the gate; nil when none does.
  package let offLine: Int?

  /// Whether it decides about the gate.
  package var gates: Bool { !questions.isEmpty }

  /// What a subject is held to; nothing where it does not gate.
  package var questions: [GateMember.Rule] {
    [tolerance.map { .tolerance($0) }, limit.map { .limit($0) }].compactMap(\.self)
  }
}

/// The rules of a limits file, in their order.
///
/// A plain value; any thread.
package struct Limits: Sendable, Hashable {
  /// Where they stand, for messages; nil when there is no file.
  package let path: String?
  package let rules: [LimitRule]

  /// The name of the file, in the folder of the package that is gated.
  package static let fileName = ".bench-limits"

  /// No file: every figure has the tolerance of its class.
  package static let none = Limits(path: nil, rules: [])

  init(path: String?, rules: [LimitRule]) {
    self.path = path
    self.rules = rules
  }

  /// What holds for a subject; nil for a figure of which no value is better than another.
  ///
  /// Of the lines that match, the last with `tolerance` gives the tolerance and the last with
  /// `limit` the limit; `off` takes back both, and a later line brings its own back. O(rules).
  package func ruling(_ subject: GateSubject) -> Ruling? {
    guard let gateClass = GateClass(subject.figure) else { return nil }
    var tolerance = gateClass.tolerance(of: subject.figure.metric)
    var limit: Double?
    var offLine: Int?
    for rule in rules where rule.matches(subject) {
      // A line for all figures opens none that is informational.
      if rule.figure == nil, rule.allowance != .off, gateClass == .informational { continue }
      switch rule.allowance {
      case .off: (tolerance, limit, offLine) = (nil, nil, rule.line)
      case .tolerance(let fraction): (tolerance, offLine) = (fraction, nil)
      case .limit(let value): (limit, offLine) = (value, nil)
      }
    }
    return Ruling(gateClass: gateClass, tolerance: tolerance, limit: limit, offLine: offLine)
  }

  /// What a gate asks of the pairs of a contestant: by every rule of the figure that the comparison
  /// judges, and of each figure that a line names.
  package func questions(
    of judged: GateSubject
  ) -> [(figure: FigureKey, rule: GateMember.Rule)] {
    var subjects = [judged]
    for rule in rules {
      guard let figure = rule.figure else { continue }
      let subject = judged.with(figure)
      if names(subject), !subjects.contains(subject) { subjects.append(subject) }
    }
    return subjects.flatMap { subject in
      (ruling(subject)?.questions ?? []).map { (figure: subject.figure, rule: $0) }
    }
  }

  /// The rules that are about none of the subjects: a sign that somebody mistyped or removed one.
  package func unused(by subjects: [GateSubject]) -> [LimitRule] {
    rules.filter { rule in !subjects.contains { rule.matches($0) } }
  }
}
