// SPDX-License-Identifier: Apache-2.0

/// Turns numbers into short text: the only place in the code base that chooses units and digits.
package enum UnitFormatter {
  /// A value of a registry unit (`ns`, `ns/op`, `B`, `B/op`, `1/s`, `1/op`, `1`) with three
  /// significant digits.
  package static func text(_ value: Double, unit: String) -> String {
    let pieces = unit.split(separator: "/", maxSplits: 1)
    switch unit {
    case "1": return significant(value)
    case "1/op": return significant(value)
    case "1/s": return scaled(value, steps: Self.rates)
    case "B", "B/op": return scaled(value, steps: Self.bytes)
    default: break
    }
    guard pieces.first == "ns" else { return "\(significant(value)) \(unit)" }
    return scaled(value, steps: Self.times)
  }

  /// A time span for people: `1.50 s`, `75.0 s`, `5.00 min`.
  package static func duration(_ duration: Duration) -> String {
    let parts = duration.components
    return text(Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9, unit: "ns")
  }

  /// Whole seconds and minutes for a countdown: `48 s`, `2 min 5 s`.
  package static func countdown(seconds: Double) -> String {
    let whole = Int(max(0, min(seconds, 1e7)).rounded(.up))
    return whole < 60 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
  }

  /// A fraction as a percentage with two significant digits: `0.04 %`, `1.8 %`, `45 %`; a whole one
  /// is whole.
  package static func percent(_ fraction: Double) -> String {
    let percent = fraction * 100
    let size = percent.magnitude
    guard (percent - percent.rounded()).magnitude > 1e-9 else {
      return fixed(percent, digits: 0) + " %"
    }
    return fixed(percent, digits: size < 0.0995 ? 2 : size < 9.95 ? 1 : 0) + " %"
  }

  /// A ratio as a change with its sign: `+2.1 %`, `-0.4 %`; from twice on, and from half down, as a
  /// factor: `×2.31`.
  package static func change(_ ratio: Double) -> String {
    guard ratio > 0.5, ratio < 2 else { return "×" + significant(ratio) }
    let text = percent(ratio - 1)
    return ratio > 1 ? "+" + text : text
  }

  /// Three significant digits without an exponent up to a million; larger numbers are whole.
  package static func significant(_ value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "n/a" : value < 0 ? "-∞" : "∞" }
    guard value != 0 else { return "0" }
    if value < 0 { return "-" + significant(-value) }
    if value < 0.0005 { return "<0.001" }
    for digits in [2, 1, 0] where rounded(value, digits: digits) < limit(digits) {
      if value < 0.9995 { return fixed(value, digits: 3) }
      return fixed(value, digits: digits)
    }
    return fixed(value, digits: 0)
  }

  /// A number with a fixed count of decimals, rounded to nearest.
  package static func fixed(_ value: Double, digits: Int) -> String {
    let scale = power(digits)
    let whole = Int64(min((value.magnitude * scale).rounded(), 9e18))
    let sign = value < 0 && whole != 0 ? "-" : ""
    guard digits > 0 else { return sign + String(whole) }
    let divisor = Int64(scale)
    let fraction = String(whole % divisor)
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(whole / divisor).\(zeros)\(fraction)"
  }

  /// A unit from `from` upwards, each `factor` smaller units.
  private struct Step {
    let name: String
    let factor: Double
  }

  private static let times = [
    Step(name: "ns", factor: 1), Step(name: "µs", factor: 1e3), Step(name: "ms", factor: 1e6),
    Step(name: "s", factor: 1e9), Step(name: "min", factor: 60e9), Step(name: "h", factor: 3600e9),
  ]
  private static let bytes = [
    Step(name: "B", factor: 1), Step(name: "KiB", factor: 1024),
    Step(name: "MiB", factor: 1_048_576), Step(name: "GiB", factor: 1_073_741_824),
  ]
  private static let rates = [
    Step(name: "/s", factor: 1), Step(name: "k/s", factor: 1e3), Step(name: "M/s", factor: 1e6),
    Step(name: "G/s", factor: 1e9),
  ]

  /// The largest unit in which the number, rounded to three digits, is at least one; seconds serve
  /// up to two minutes.
  private static func scaled(_ value: Double, steps: [Step]) -> String {
    guard value.isFinite else { return significant(value) }
    var chosen = steps[0]
    for step in steps.dropFirst() {
      let enough = step.name == "min" ? 2.0 : 1.0
      guard value.magnitude / step.factor >= 0.9995 * enough else { break }
      chosen = step
    }
    return "\(significant(value / chosen.factor)) \(chosen.name)"
  }

  private static func power(_ digits: Int) -> Double {
    (0..<digits).reduce(1.0) { power, _ in power * 10 }
  }

  private static func rounded(_ value: Double, digits: Int) -> Double {
    (value * power(digits)).rounded() / power(digits)
  }

  /// Below this a number has at most three digits when it shows `digits` decimals.
  private static func limit(_ digits: Int) -> Double { power(3 - digits) }
}
