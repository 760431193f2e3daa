// SPDX-License-Identifier: Apache-2.0

extension SchedulerConformance {
  /// What a check expected and what it found instead.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What should have been.
    public let expected: String
    /// What was.
    public let found: String
    /// The line of the check.
    public let place: String

    init(expected: String, found: String, file: StaticString, line: UInt) {
      self.expected = expected
      self.found = found
      place = "\(Self.path(file)):\(line)"
    }

    /// The path of a file below the root of its package, as far as it can be told.
    private static func path(_ file: StaticString) -> String {
      let parts = "\(file)".split(separator: "/")
      let root = parts.lastIndex { $0 == "Sources" || $0 == "Tests" } ?? parts.indices.last ?? 0
      return parts[root...].joined(separator: "/")
    }

    /// Expectation, finding and place in one line.
    public var description: String { "expected \(expected), found \(found) (\(place))" }
  }
}
