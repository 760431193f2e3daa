// SPDX-License-Identifier: Apache-2.0

package import Measurement
internal import Scheduling

extension AxisSelection {
  /// What an axis takes, for messages.
  private static let form = "axis=value, such as n=512 or pin=compact"

  /// Reads `n=64,512,pin=compact`: a piece with `=` opens an axis, one without adds a value to the
  /// axis before it.
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
}
