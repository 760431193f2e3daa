// SPDX-License-Identifier: Apache-2.0

package import Measurement

/// The checked value of an option.
package enum OptionValue: Equatable, Sendable {
  case on
  case text(String)
  case names([String])
  case counts([Int])
  case axes([AxisSelection])
  case count(Int)
  case seed(UInt64)
  case duration(Duration)
  case factor(Double)
  /// 0.01 for 1 %.
  case fraction(Double)
}

extension OptionSpecification {
  /// Checks and converts what was typed.
  ///
  /// - Parameters:
  ///   - text: the value as typed.
  ///   - place: `--name`, the environment variable or the member of a suite that it came from.
  ///   - cpuCount: what `N` means as a number of workers.
  package func value(
    of text: String, place: String, cpuCount: Int = 1
  ) throws(ToolFailure) -> OptionValue {
    guard !text.isEmpty else {
      throw .usage(place, "the value is empty", expected: shape.placeholder)
    }
    switch shape {
    case .flag: return .on
    case .text: return .text(text)
    case .pattern: return try Self.pattern(text, place: place)
    case .names(let what): return .names(try Self.pieces(text, of: what, place: place))
    case .counts(let what, let range):
      var counts: [Int] = []
      for piece in try Self.pieces(text, of: what, place: place) {
        counts += try CountRange(piece, within: range, cpuCount: cpuCount, place: place).counts
      }
      return .counts(counts)
    case .axes: return .axes(try AxisSelection.parse(text, place: place))
    case .choice(let words, _):
      guard words.contains(text) else {
        throw .usage(
          place, "unknown value `\(text)`", expected: words.joined(separator: ", "),
          next: NearestName.suggestion(for: text, in: words, otherwise: ""))
      }
      return .text(text)
    case .count(_, let range): return .count(try Self.count(text, in: range, place: place))
    case .seed:
      guard let seed = UInt64(text) else {
        throw .usage(place, "`\(text)` is no seed", expected: "a whole number, 0 or more")
      }
      return .seed(seed)
    case .duration(let range): return .duration(try Self.duration(text, in: range, place: place))
    case .factor:
      guard let factor = Double(text), factor > 0, factor.isFinite else {
        throw .usage(place, "`\(text)` is no factor", expected: "a number above zero, such as 0.01")
      }
      return .factor(factor)
    case .percentage:
      guard let number = Double(text.hasSuffix("%") ? String(text.dropLast()) : text), number >= 0,
        number < 100
      else {
        throw .usage(
          place, "`\(text)` is no percentage", expected: "0% to below 100%, such as 1.5%")
      }
      return .fraction(number / 100)
    }
  }

  private static func pattern(_ text: String, place: String) throws(ToolFailure) -> OptionValue {
    do {
      _ = try Regex(text)
    } catch {
      throw .malformedPattern(text, reason: "\(error)", place: place)
    }
    return .text(text)
  }

  private static func pieces(_ text: String, of what: String, place: String)
    throws(ToolFailure) -> [String]
  {
    let pieces = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard pieces.allSatisfy({ !$0.isEmpty }) else {
      throw .usage(place, "`\(text)` has an empty piece", expected: "\(what) or \(what),\(what)")
    }
    return pieces
  }

  static func count(_ text: String, in range: ClosedRange<Int>, place: String)
    throws(ToolFailure) -> Int
  {
    guard let count = Int(text), range.contains(count) else {
      // Too many digits for `Int` are a number all the same.
      let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
      let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (48...57).contains($0) }
      throw .usage(
        place, "`\(text)` is \(isNumber ? "out of range" : "not a whole number")",
        expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return count
  }

  private static func duration(_ text: String, in range: ClosedRange<Duration>, place: String)
    throws(ToolFailure) -> Duration
  {
    let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60)]
    for unit in units where text.hasSuffix(unit.suffix) {
      guard let number = Double(text.dropLast(unit.suffix.count)), number.isFinite, number >= 0,
        number < 1e9
      else { break }
      let duration = Duration.nanoseconds(Int64(number * unit.seconds * 1e9))
      guard range.contains(duration) else {
        throw .usage(
          place, "`\(text)` is out of range",
          expected: "\(UnitFormatter.duration(range.lowerBound)) to "
            + UnitFormatter.duration(range.upperBound))
      }
      return duration
    }
    throw .usage(
      place, "`\(text)` is no time span", expected: "a number with its unit: 60s, 500ms or 5m")
  }
}
