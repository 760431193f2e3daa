// SPDX-License-Identifier: Apache-2.0

package import Scheduling

/// The values `--where` asks for on one axis of a workload, or one knob of a scheduler.
package struct AxisSelection: Equatable, Sendable {
  /// The axis, such as `n`, or the knob, such as `spin-us`.
  package let axis: String
  /// The values, in the order given, without repetitions.
  package var values: [KnobValue]

  package init(axis: String, values: [KnobValue]) {
    self.axis = axis
    self.values = values
  }

  /// What an axis takes, for messages.
  private static let form = "axis=value, such as n=512 or pin=compact"

  /// Reads `n=64,512,pin=compact`: a piece with `=` opens an axis, one without adds a value to the axis before it.
  package static func parse(_ text: String, place: String) throws(ToolFailure) -> [AxisSelection] {
    var selections: [AxisSelection] = []
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if halves.count == 2 {
        guard !halves[0].isEmpty else {
          throw .usage(place, "`\(piece)` names no axis", expected: form)
        }
        selections.append(AxisSelection(axis: String(halves[0]), values: []))
      } else if selections.isEmpty {
        throw .usage(place, "`\(piece)` belongs to no axis", expected: form)
      }
      guard let text = halves.last, let value = KnobValue(text: text) else {
        throw .usage(
          place, "`\(piece)` has neither a whole number nor a word as value", expected: form)
      }
      selections[selections.count - 1].values.append(value)
    }
    return merged(selections)
  }

  /// One selection per axis, in order of first appearance, with every value once.
  package static func merged(_ selections: [AxisSelection]) -> [AxisSelection] {
    var merged: [AxisSelection] = []
    for selection in selections {
      let index: Int
      if let known = merged.firstIndex(where: { $0.axis == selection.axis }) {
        index = known
      } else {
        index = merged.count
        merged.append(AxisSelection(axis: selection.axis, values: []))
      }
      for value in selection.values where !merged[index].values.contains(value) {
        merged[index].values.append(value)
      }
    }
    return merged
  }
}
