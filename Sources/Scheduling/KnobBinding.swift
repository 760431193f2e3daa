// SPDX-License-Identifier: Apache-2.0

/// Ties a knob to a property of a configuration: one row per knob, from which come its legal range,
/// the check of the property, and the way from the command line.
package struct KnobBinding<Configuration: Sendable>: Sendable {
  /// The knob.
  package let knob: SchedulerKnob
  /// Name of the property.
  let property: String
  /// What the property may be, in the property's unit.
  let expectation: String
  /// The property's value when it is illegal, else nil.
  let illegalValue: @Sendable (Configuration) -> String?
  /// Sets the property to a legal value of the knob.
  let set: @Sendable (inout Configuration, KnobValue) -> Void

  /// A property that is one of a few words.
  package static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ property: String,
    _ path: WritableKeyPath<Configuration, Value> & Sendable, of initial: Configuration,
    legal: [Value] = Array(Value.allCases), _ summary: String
  ) -> KnobBinding {
    let knob = SchedulerKnob(
      name: name, summary: summary, words: legal.map(\.rawValue),
      default: .word(initial[keyPath: path].rawValue))
    return KnobBinding(
      knob: knob, property: property, expectation: knob.legalText,
      illegalValue: { configuration in
        let value = configuration[keyPath: path].rawValue
        return knob.words.contains(value) ? nil : value
      },
      set: { configuration, value in
        guard let word = value.word, let choice = Value(rawValue: word) else { return }
        configuration[keyPath: path] = choice
      })
  }

  /// A property that is a number, or stands for a word where it has the value `word.number`.
  ///
  /// Messages about the property show the word's value as `word.shown`. The knob counts in units of
  /// `scale`: a property in nanoseconds with scale 1000 has a knob in microseconds.
  package static func number(
    _ name: String, _ property: String,
    _ path: WritableKeyPath<Configuration, Int> & Sendable, of initial: Configuration,
    legal: ClosedRange<Int>, scale: Int = 1,
    word: (text: String, number: Int, shown: String)? = nil,
    _ summary: String
  ) -> KnobBinding {
    let value = initial[keyPath: path]
    let isWord = value == word?.number
    let range = legal.lowerBound * scale...legal.upperBound * scale
    return KnobBinding(
      knob: SchedulerKnob(
        name: name, summary: summary, numbers: legal, words: word.map { [$0.text] } ?? [],
        default: isWord ? .word(word?.text ?? "") : .number(value / scale)),
      property: property,
      expectation: (word.map { "\($0.shown) (\($0.text)) or " } ?? "")
        + "\(range.lowerBound) to \(range.upperBound)",
      illegalValue: { configuration in
        let value = configuration[keyPath: path]
        return value == word?.number || range.contains(value) ? nil : String(value)
      },
      set: { configuration, value in
        switch value {
        case .number(let number): configuration[keyPath: path] = number * scale
        case .word: configuration[keyPath: path] = word?.number ?? configuration[keyPath: path]
        }
      })
  }
}

extension Array {
  /// Refuses a configuration with an illegal property; `type` is what the configuration is called.
  package func check<Configuration>(_ configuration: Configuration, _ type: String)
    throws(KnobError) where Element == KnobBinding<Configuration>
  {
    for binding in self {
      guard let found = binding.illegalValue(configuration) else { continue }
      throw KnobError(
        place: "\(type).\(binding.property)", finding: "\(found) is illegal",
        expectation: binding.expectation, nextStep: "set a legal value, or leave the default")
    }
  }

  /// Sets what the settings say; refuses what is no knob here, and illegal values.
  package func apply<Configuration>(
    _ settings: KnobSettings, to configuration: inout Configuration, _ type: String
  ) throws(KnobError) where Element == KnobBinding<Configuration> {
    try settings.check(against: map(\.knob), of: type)
    for binding in self {
      if let value = settings[binding.knob.name] { binding.set(&configuration, value) }
    }
  }
}
