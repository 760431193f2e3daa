// SPDX-License-Identifier: Apache-2.0

package import Harness

/// The values that are asked for on one axis of a workload, or one knob of a scheduler.
package struct AxisSelection: Equatable, Sendable {
  /// The axis, such as `n`, or the knob, such as `spin-us`.
  package let axis: String
  /// The workload or scheduler that is meant alone, as in `uts.depth=10`; nil for all that have it.
  package let owner: String?
  /// The values, in the order given, without repetitions.
  package var values: [AxisValue]

  package init(axis: String, of owner: String? = nil, values: [AxisValue]) {
    self.axis = axis
    self.owner = owner
    self.values = values
  }

  /// As users type the axis: `depth`, or `uts.depth`.
  package var name: String { (owner.map { $0 + "." } ?? "") + axis }

  /// One selection per axis and owner, in order of first appearance, with every value once.
  package static func merged(_ selections: [AxisSelection]) -> [AxisSelection] {
    var merged: [AxisSelection] = []
    for selection in selections {
      let index: Int
      if let known = merged.firstIndex(where: { $0.name == selection.name }) {
        index = known
      } else {
        index = merged.count
        merged.append(AxisSelection(axis: selection.axis, of: selection.owner, values: []))
      }
      for value in selection.values where !merged[index].values.contains(value) {
        merged[index].values.append(value)
      }
    }
    return merged
  }
}

extension [AxisSelection] {
  /// What is asked for on the axes or knobs `names` of one owner: what names the owner goes before
  /// what is for all.
  func selections(of owner: String, having names: (String) -> Bool) -> [AxisSelection] {
    filter { selection in
      guard names(selection.axis) else { return false }
      if let named = selection.owner { return named == owner }
      return !contains { $0.owner == owner && $0.axis == selection.axis }
    }
  }
}
