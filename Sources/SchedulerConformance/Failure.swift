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
      place = "\(file):\(line)"
    }

    /// Expectation, finding and place in one line.
    public var description: String { "expected \(expected), found \(found) (\(place))" }
  }
}
