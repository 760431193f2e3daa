// SPDX-License-Identifier: Apache-2.0

/// A setting of a scheduler as data: what a command line lists and sweeps, and what configurations
/// are checked against.
public struct SchedulerKnob: Hashable, Sendable {
  /// What users type before the `=`: a lower-case letter, then lower-case letters, digits and
  /// hyphens.
  public let name: String
  /// One line, with the unit where there is one.
  public let summary: String
  /// Legal numbers; nil when only words are legal.
  public let numbers: ClosedRange<Int>?
  /// Legal words, such as `none` and `compact`.
  public let words: [String]
  /// The value of a scheduler that nobody tuned.
  public let defaultValue: KnobValue

  /// A knob; a name that is none, a knob without values, or a default outside them stops the
  /// process.
  public init(
    name: String, summary: String, numbers: ClosedRange<Int>? = nil, words: [String] = [],
    default defaultValue: KnobValue
  ) {
    self.name = name
    self.summary = summary
    self.numbers = numbers
    self.words = words
    self.defaultValue = defaultValue
    for text in [name] + words where KnobValue(text: text)?.word == nil {
      fatalError(
        "SchedulerKnob '\(name)': '\(text)' is no name; expected a lower-case letter, then lower-case "
          + "letters, digits and hyphens; rename it")
    }
    guard accepts(defaultValue) else {
      fatalError(
        "SchedulerKnob '\(name)': the default \(defaultValue) is illegal; expected \(legalText); "
          + "fix the description")
    }
  }

  /// True when the value is legal.
  public func accepts(_ value: KnobValue) -> Bool {
    switch value {
    case .number(let number): numbers?.contains(number) ?? false
    case .word(let word): words.contains(word)
    }
  }

  /// The legal values as prose: `auto or 0 to 1000000`.
  public var legalText: String {
    let range = numbers.map { "\($0.lowerBound) to \($0.upperBound)" }
    let all = words + [range].compactMap { $0 }
    guard let last = all.last, all.count > 1 else { return all.first ?? "nothing" }
    return all.dropLast().joined(separator: ", ") + " or " + last
  }
}

/// A value of a knob: a whole number, or one of the knob's words.
public enum KnobValue: Hashable, Sendable, CustomStringConvertible {
  /// A whole number.
  case number(Int)
  /// A word.
  case word(String)

  /// Reads what users type; nil unless it is a whole number, or a lower-case letter followed by
  /// lower-case letters, digits and hyphens.
  public init?(text: some StringProtocol) {
    if let number = Int(text) {
      self = .number(number)
      return
    }
    let bytes = text.utf8
    guard let first = bytes.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first,
      bytes.allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      })
    else { return nil }
    self = .word(String(text))
  }

  /// The number, nil for a word.
  public var number: Int? { if case .number(let number) = self { number } else { nil } }
  /// The word, nil for a number.
  public var word: String? { if case .word(let word) = self { word } else { nil } }
  /// As users type it.
  public var description: String {
    switch self {
    case .number(let number): String(number)
    case .word(let word): word
    }
  }
}

extension KnobValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
  /// A number.
  public init(integerLiteral value: Int) { self = .number(value) }
  /// A word.
  public init(stringLiteral value: String) { self = .word(value) }
}

/// A setting of a scheduler is illegal.
public struct KnobError: Error, Equatable, CustomStringConvertible {
  /// Which property or option.
  public var place: String
  /// What was found there.
  public var finding: String
  /// What is legal.
  public var expectation: String
  /// What to do.
  public var nextStep: String

  /// An error; see the properties.
  public init(place: String, finding: String, expectation: String, nextStep: String) {
    self.place = place
    self.finding = finding
    self.expectation = expectation
    self.nextStep = nextStep
  }

  /// All four on one line.
  public var description: String { "\(place): \(finding); expected \(expectation); \(nextStep)" }
}
