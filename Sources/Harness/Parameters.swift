// SPDX-License-Identifier: Apache-2.0

/// One value for each named axis of a workload.
///
/// The canonical text sorts the axes by name: `n:512;width:1000`.
package struct Parameters: Hashable, Sendable, CustomStringConvertible {
  private var values: [String: AxisValue]

  /// Parameters with these values; `[:]` for a workload without axes.
  package init(_ values: [String: AxisValue] = [:]) { self.values = values }

  /// Reads the canonical text; nil when it is malformed or names an axis twice.
  package init?(canonical text: String) {
    values = [:]
    guard !text.isEmpty else { return }
    for piece in text.split(separator: ";", omittingEmptySubsequences: false) {
      let parts = piece.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, let value = AxisValue(text: parts[1]),
        values.updateValue(value, forKey: String(parts[0])) == nil
      else { return nil }
    }
  }

  /// The number on an axis of whole numbers that the workload declares; asking for another is a
  /// fault.
  package subscript(_ axis: String) -> Int {
    get { declared(axis, "a whole number", \.number) }
    set { values[axis] = .number(newValue) }
  }

  /// The value on an axis of decimals that the workload declares; asking for another is a fault.
  package func decimal(_ axis: String) -> Double { declared(axis, "a decimal", \.double) }

  /// The word on an axis of words that the workload declares; asking for another is a fault.
  package func word(_ axis: String) -> String { declared(axis, "a word", \.word) }

  /// The value of an axis, or nil when there is none of that name.
  package func value(of axis: String) -> AxisValue? { values[axis] }

  /// Sets the value of an axis.
  package mutating func set(_ axis: String, to value: AxisValue) { values[axis] = value }

  /// The parameters with every number that `limits` names cut to its limit.
  package func capped(at limits: [String: Int]) -> Parameters {
    var result = self
    for (axis, limit) in limits {
      if let number = value(of: axis)?.number { result[axis] = min(number, limit) }
    }
    return result
  }

  private func declared<Value>(
    _ axis: String, _ kind: String, _ read: (AxisValue) -> Value?
  ) -> Value {
    guard let value = values[axis].flatMap(read) else {
      fatalError(
        "Parameters: no axis '\(axis)' with \(kind) among '\(description)'; expected a name that "
          + "the workload declares in its axes; add the axis to its WorkloadDescription")
    }
    return value
  }

  /// Every axis with its value, sorted by name.
  package var entries: [(name: String, value: AxisValue)] {
    values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }

  /// The canonical text.
  package var description: String {
    entries.map { "\($0.name):\($0.value)" }.joined(separator: ";")
  }
}
