// SPDX-License-Identifier: Apache-2.0

package import Scheduling

/// The values that are asked for on one axis of a workload, or one knob of a scheduler.
package struct AxisSelection: Equatable, Sendable {
  /// The axis, such as `n`, or the knob, such as `spin-us`.
  package let axis: String
  /// The values, in the order given, without repetitions.
  package var values: [KnobValue]

  package init(axis: String, values: [KnobValue]) {
    self.axis = axis
    self.values = values
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
