// SPDX-License-Identifier: Apache-2.0

internal import Harness
package import Measurement

extension AxisSelection {
  /// What an axis takes, for messages.
  private static let form = "axis=value, such as n=512, pin=compact or chain.n=512"

  /// Reads `n=64,512,uts.q=0.2,pin=compact`: a piece with `=` opens an axis, one without adds a
  /// value to the axis before it.
  package static func parse(_ text: String, place: String) throws(ToolFailure) -> [AxisSelection] {
    var selections: [AxisSelection] = []
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if halves.count == 2 {
        // `uts.depth`: the axis of one workload.
        let names = halves[0].split(separator: ".", omittingEmptySubsequences: false)
        guard names.count <= 2, names.allSatisfy({ !$0.isEmpty }), let axis = names.last else {
          throw .usage(place, "`\(piece)` names no axis", expected: form)
        }
        selections.append(
          AxisSelection(
            axis: String(axis), of: names.count == 2 ? String(names[0]) : nil, values: []))
      } else if selections.isEmpty {
        throw .usage(place, "`\(piece)` belongs to no axis", expected: form)
      }
      let text = halves.last ?? ""
      if let each = perWorker(text) {
        selections[selections.count - 1].perWorker.append(each)
      } else if let value = AxisValue(text: text) {
        selections[selections.count - 1].values.append(value)
      } else {
        throw .usage(
          place, "`\(piece)` has neither a number nor a word as value", expected: form)
      }
    }
    return merged(selections)
  }

  /// The number before `*workers`; nil for any other text.
  private static func perWorker(_ text: some StringProtocol) -> Int? {
    let mark = "*workers"
    guard text.hasSuffix(mark) else { return nil }
    return Int(text.dropLast(mark.count)).flatMap { $0 > 0 ? $0 : nil }
  }
}
