// SPDX-License-Identifier: Apache-2.0

package import Scheduling

/// A value of an axis: a whole number, a decimal, or one of the axis' words.
///
/// A plain value; any thread. A decimal keeps the text that it was given as, so that `0.10` is
/// asked for, recorded and asked for again as `0.10`.
package enum AxisValue: Hashable, Sendable, CustomStringConvertible {
  /// A whole number.
  case number(Int)
  /// A decimal, such as `0.124875`; digits on both sides of the point.
  case decimal(String)
  /// A lower-case letter, then lower-case letters, digits, hyphens and underscores.
  case word(String)

  /// Reads what users type; nil for anything else.
  package init?(text: some StringProtocol) {
    switch KnobValue(text: text) {
    case .number(let number)?: self = .number(number)
    case .word(let word)?: self = .word(word)
    case nil where Self.isDecimal(text): self = .decimal(String(text))
    case nil:
      // Names of others have underscores, as in `stencil_1d`.
      let plain = String(text.map { $0 == "_" ? "-" : $0 })
      guard KnobValue(text: plain)?.word != nil else { return nil }
      self = .word(String(text))
    }
  }

  /// The whole number, nil for others.
  package var number: Int? { if case .number(let number) = self { number } else { nil } }
  /// The word, nil for others.
  package var word: String? { if case .word(let word) = self { word } else { nil } }
  /// The value of a number or a decimal, nil for a word.
  package var double: Double? {
    switch self {
    case .number(let number): Double(number)
    case .decimal(let text): Double(text)
    case .word: nil
    }
  }

  /// The same for a knob of a scheduler, which takes no decimals.
  package var knobValue: KnobValue? {
    switch self {
    case .number(let number): .number(number)
    case .decimal: nil
    case .word(let word): .word(word)
    }
  }

  /// As users type it.
  package var description: String {
    switch self {
    case .number(let number): String(number)
    case .decimal(let text), .word(let text): text
    }
  }

  /// Digits, a point and digits, with or without a minus sign; the point alone decides against an
  /// exponent, which a cell of the CSV could not hold.
  private static func isDecimal(_ text: some StringProtocol) -> Bool {
    let unsigned = text.hasPrefix("-") ? text.dropFirst() : text[...]
    let sides = unsigned.split(separator: ".", omittingEmptySubsequences: false)
    return sides.count == 2
      && sides.allSatisfy { side in
        !side.isEmpty && side.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0 }
      }
  }
}

extension AxisValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  /// A whole number.
  package init(integerLiteral value: Int) { self = .number(value) }
  /// A word, or a decimal such as `"0.5"`; another text stops the process.
  package init(stringLiteral value: String) {
    guard let read = AxisValue(text: value) else {
      fatalError("AxisValue '\(value)'; expected a number, a decimal or a word; fix the literal")
    }
    self = read
  }
}
