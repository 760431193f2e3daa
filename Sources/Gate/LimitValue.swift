// SPDX-License-Identifier: Apache-2.0

internal import Results

/// The values of a limits file: shares and figures with units.
///
/// Pure; any thread.
enum LimitValue {
  /// A share such as `3%` or `0`, as a fraction from 0 to 1; nil for anything else.
  static func fraction(_ text: String) -> Double? {
    if text == "0" { return 0 }
    guard text.hasSuffix("%"), let percent = number(text.dropLast()), percent <= 100 else {
      return nil
    }
    return percent / 100
  }

  /// A figure above 0 with its unit, in the unit of the registry; nil for anything else.
  static func bound(_ text: String, unit: Unit) -> Double? {
    // The longest first: `ns` ends with `s`.
    let factors = factors(of: unit).sorted { $0.word.count > $1.word.count }
    for factor in factors where text.hasSuffix(factor.word) {
      guard let figure = number(text.dropLast(factor.word.count)) else { continue }
      let bound = figure * factor.factor
      return bound > 0 && bound.isFinite ? bound : nil
    }
    return nil
  }

  /// What a unit of the registry may be written as.
  static func units(of unit: Unit) -> String {
    let words = factors(of: unit).map(\.word)
    return words == [""] ? "none, since it is a plain number" : words.joined(separator: ", ")
  }

  private static func factors(of unit: Unit) -> [(word: String, factor: Double)] {
    switch unit {
    case .nanoseconds, .nanosecondsPerOperation:
      [("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)]
    case .bytes, .bytesPerOperation:
      [("B", 1), ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824)]
    case .perSecond: [("/s", 1)]
    case .perOperation, .one: [("", 1)]
    }
  }

  /// A decimal number without a sign; `Double.init` alone would also take `nan`, `inf` and `0x1p3`.
  private static func number(_ text: Substring) -> Double? {
    let characters = Array("0123456789.e-".utf8)
    guard let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first),
      text.utf8.allSatisfy(characters.contains), let number = Double(text), number.isFinite
    else { return nil }
    return number
  }
}
