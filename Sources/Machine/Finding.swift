// SPDX-License-Identifier: Apache-2.0

/// Something about this machine or this build that makes figures doubtful.
package struct Finding: Hashable, Sendable {
  /// How doubtful.
  package enum Severity: String, Sendable, Comparable, CaseIterable {
    /// Worth knowing when figures are read.
    case note
    /// Figures are less certain, or say something else than they seem to.
    case warning
    /// Figures are worthless.
    case severe

    /// True when `lhs` is the milder one.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rank < rhs.rank }
    private var rank: Int {
      switch self {
      case .note: 0
      case .warning: 1
      case .severe: 2
      }
    }
  }

  /// How doubtful it makes figures.
  package var severity: Severity
  /// A few words.
  package var title: String
  /// What was found on this machine, with the number.
  package var found: String
  /// Why that makes figures doubtful.
  package var consequence: String
  /// The command that would change it, or what to do where there is none.
  package var remedy: String

  /// A finding; see the properties.
  package init(
    _ severity: Severity, _ title: String, found: String, consequence: String, remedy: String
  ) {
    self.severity = severity
    self.title = title
    self.found = found
    self.consequence = consequence
    self.remedy = remedy
  }
}
