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
  /// Numbers that count for each worker, in the order given: the value is so many times the number
  /// of workers.
  package var perWorker: [Int]

  package init(
    axis: String, of owner: String? = nil, values: [AxisValue], perWorker: [Int] = []
  ) {
    self.axis = axis
    self.owner = owner
    self.values = values
    self.perWorker = perWorker
  }

  /// Every value for a number of workers; a number beyond all is none.
  package func values(workers: Int) -> [AxisValue] {
    values
      + perWorker.map { each in
        let (product, isTooMuch) = each.multipliedReportingOverflow(by: workers)
        return .number(isTooMuch ? .max : product)
      }
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
      for each in selection.perWorker where !merged[index].perWorker.contains(each) {
        merged[index].perWorker.append(each)
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
