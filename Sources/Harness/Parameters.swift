// SPDX-License-Identifier: Apache-2.0

/// One value for each named axis of a workload.
///
/// The canonical text sorts the axes by name: `n:512;width:1000`.
package struct Parameters: Hashable, Sendable, CustomStringConvertible {
  private var values: [String: Int]

  /// Parameters with these values; `[:]` for a workload without axes.
  package init(_ values: [String: Int] = [:]) { self.values = values }

  /// Reads the canonical text; nil when it is malformed or names an axis twice.
  package init?(canonical text: String) {
    values = [:]
    guard !text.isEmpty else { return }
    for piece in text.split(separator: ";", omittingEmptySubsequences: false) {
      let parts = piece.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, let value = Int(parts[1]),
        values.updateValue(value, forKey: String(parts[0])) == nil
      else { return nil }
    }
  }

  /// The value of an axis that the workload declares; asking for another is a fault.
  package subscript(_ axis: String) -> Int {
    get {
      guard let value = values[axis] else {
        fatalError(
          "Parameters: no axis '\(axis)' among '\(description)'; expected a name that the workload "
            + "declares in its axes; add the axis to its WorkloadDescription")
      }
      return value
    }
    set { values[axis] = newValue }
  }

  /// The value of an axis, or nil when there is none of that name.
  package func value(of axis: String) -> Int? { values[axis] }

  /// The parameters with every axis that `limits` names cut to its limit.
  package func capped(at limits: [String: Int]) -> Parameters {
    var result = self
    for (axis, limit) in limits {
      if let value = value(of: axis) { result[axis] = min(value, limit) }
    }
    return result
  }

  /// Every axis with its value, sorted by name.
  package var entries: [(name: String, value: Int)] {
    values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }

  /// The canonical text.
  package var description: String {
    entries.map { "\($0.name):\($0.value)" }.joined(separator: ";")
  }
}

/// Which of an axis' three built-in values to take.
package enum AxisSize: String, Sendable, CaseIterable {
  /// Small enough that every test run executes it.
  case smoke
  /// For a first look.
  case quick
  /// For figures.
  case real
}

/// A named number that scales a workload.
package struct Axis: Hashable, Sendable {
  /// What users type before the `=`: lower case letters and hyphens.
  package var name: String
  /// One line for `bench list`.
  package var summary: String
  /// Value for tests.
  package var smoke: Int
  /// Value for a quick look.
  package var quick: Int
  /// Value for figures.
  package var real: Int
  /// What users may ask for.
  package var legal: ClosedRange<Int>
  /// Larger values warm up with this one; nil when the warm-up takes the measured value.
  ///
  /// For axes whose large values take seconds and touch little memory: the smaller size runs the
  /// same code on the same threads.
  package var warmUp: Int?

  /// An axis; its built-in values must be legal.
  package init(
    name: String, summary: String, smoke: Int, quick: Int, real: Int, legal: ClosedRange<Int>,
    warmUp: Int? = nil
  ) {
    for value in [smoke, quick, real, warmUp ?? real] where !legal.contains(value) {
      fatalError("Axis '\(name)': built-in value \(value) is outside \(legal); fix the description")
    }
    self.name = name
    self.summary = summary
    self.smoke = smoke
    self.quick = quick
    self.real = real
    self.legal = legal
    self.warmUp = warmUp
  }

  /// The built-in value of that size.
  package func value(at size: AxisSize) -> Int {
    switch size {
    case .smoke: smoke
    case .quick: quick
    case .real: real
    }
  }
}
