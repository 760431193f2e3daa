// SPDX-License-Identifier: Apache-2.0

/// A piece of `--workers`: a count, a range of them or a range that doubles.
struct CountRange {
  /// The counts, ascending.
  let counts: [Int]

  /// Reads `4`, `N`, `1..4` or `1..64x2`.
  ///
  /// - Parameters:
  ///   - range: what a count may be.
  ///   - cpuCount: what `N` stands for.
  ///   - place: for messages.
  init(
    _ text: String, within range: ClosedRange<Int>, cpuCount: Int, place: String
  ) throws(ToolFailure) {
    guard let dots = text.firstRange(of: "..") else {
      counts = [try Self.count(text, within: range, cpuCount: cpuCount, place: place)]
      return
    }
    let doubles = text.hasSuffix("x2")
    let upper = text[dots.upperBound...].dropLast(doubles ? 2 : 0)
    let first = try Self.count(
      String(text[..<dots.lowerBound]), within: range, cpuCount: cpuCount, place: place)
    let last = try Self.count(String(upper), within: range, cpuCount: cpuCount, place: place)
    guard first <= last else {
      throw .usage(
        place, "`\(text)` ends before it begins", expected: "the smaller count first, as in 1..4")
    }
    // The last one is there, whether doubling meets it or not.
    counts =
      doubles
      ? sequence(first: first) { $0 * 2 }.prefix { $0 < last } + [last] : Array(first...last)
  }

  private static func count(
    _ text: String, within range: ClosedRange<Int>, cpuCount: Int, place: String
  ) throws(ToolFailure) -> Int {
    text == "N"
      ? cpuCount : try OptionSpecification.count(text, in: range, place: place)
  }
}
