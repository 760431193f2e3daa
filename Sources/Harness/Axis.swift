// SPDX-License-Identifier: Apache-2.0

/// Which of an axis' three built-in values to take.
package enum AxisSize: String, Sendable, CaseIterable {
  /// Small enough that every test run executes it.
  case smoke
  /// For a first look.
  case quick
  /// For figures.
  case real
}

/// Something named that scales or shapes a workload.
package struct Axis: Hashable, Sendable {
  /// The values that an axis takes.
  package enum Legal: Hashable, Sendable {
    /// Whole numbers of a range.
    case numbers(ClosedRange<Int>)
    /// Decimals and whole numbers of a range.
    case decimals(ClosedRange<Double>)
    /// Words.
    case words([String])
  }

  /// What users type before the `=`: lower case letters and hyphens.
  package var name: String
  /// One line for `bench list`.
  package var summary: String
  /// Value for tests.
  package var smoke: AxisValue
  /// Value for a quick look.
  package var quick: AxisValue
  /// Value for figures.
  package var real: AxisValue
  /// What users may ask for.
  package var legal: Legal
  /// Larger numbers warm up with this one; nil when the warm-up takes the measured value.
  ///
  /// For axes whose large values take seconds and touch little memory: the smaller size runs the
  /// same code on the same threads.
  package var warmUp: Int?

  /// An axis of whole numbers; its built-in values must be legal.
  package init(
    name: String, summary: String, smoke: Int, quick: Int, real: Int, legal: ClosedRange<Int>,
    warmUp: Int? = nil
  ) {
    self.init(
      name: name, summary: summary, smoke: .number(smoke), quick: .number(quick),
      real: .number(real), legal: .numbers(legal), warmUp: warmUp)
  }

  /// An axis of any kind; its built-in values must be legal.
  package init(
    name: String, summary: String, smoke: AxisValue, quick: AxisValue, real: AxisValue,
    legal: Legal, warmUp: Int? = nil
  ) {
    self.name = name
    self.summary = summary
    self.smoke = smoke
    self.quick = quick
    self.real = real
    self.legal = legal
    self.warmUp = warmUp
    for value in [smoke, quick, real] + (warmUp.map { [.number($0)] } ?? [])
    where !accepts(value) {
      fatalError("Axis '\(name)': built-in value \(value) is not \(legalText); fix the description")
    }
  }

  /// An axis of one value at every size.
  package init(name: String, summary: String, always value: AxisValue, legal: Legal) {
    self.init(
      name: name, summary: summary, smoke: value, quick: value, real: value, legal: legal)
  }

  /// The built-in value of that size.
  package func value(at size: AxisSize) -> AxisValue {
    switch size {
    case .smoke: smoke
    case .quick: quick
    case .real: real
    }
  }

  /// Whether users may ask for the value.
  package func accepts(_ value: AxisValue) -> Bool {
    switch legal {
    case .numbers(let range): value.number.map(range.contains) ?? false
    case .decimals(let range): value.double.map(range.contains) ?? false
    case .words(let words): value.word.map(words.contains) ?? false
    }
  }

  /// The legal values as prose: `1 to 8192`, `0.0 to 1.0`, or `one of linear, fixed`.
  package var legalText: String {
    switch legal {
    case .numbers(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .decimals(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .words(let words): "one of \(words.joined(separator: ", "))"
    }
  }
}
