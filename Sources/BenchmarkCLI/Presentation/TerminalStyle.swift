// SPDX-License-Identifier: Apache-2.0

/// How a piece of text stands out.
package enum Emphasis: Sendable { case plain, strong, faint, good, doubtful, bad }

/// Colours text for a terminal, or leaves it alone.
package struct TerminalStyle: Sendable {
  /// True when escape sequences are written.
  package let isColored: Bool

  package init(isColored: Bool) { self.isColored = isColored }

  /// Never writes an escape sequence.
  package static let plain = TerminalStyle(isColored: false)

  /// What `--color` and the environment ask for on a stream.
  ///
  /// `auto` colours a terminal unless `NO_COLOR` is set to something or `TERM` is `dumb`.
  package static func resolve(
    option: String?, environment: [String: String], isTerminal: Bool
  ) -> TerminalStyle {
    switch option ?? "auto" {
    case "always": return TerminalStyle(isColored: true)
    case "never": return plain
    default:
      let refused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
      return TerminalStyle(isColored: isTerminal && !refused && environment["TERM"] != "dumb")
    }
  }

  /// The text within the escape sequences of its emphasis.
  package func paint(_ text: String, _ emphasis: Emphasis) -> String {
    guard isColored, let code = Self.codes[emphasis] else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  private static let codes: [Emphasis: String] = [
    .strong: "1", .faint: "2", .good: "32", .doubtful: "33", .bad: "31",
  ]
}
