// SPDX-License-Identifier: Apache-2.0

package import Results
package import Statistics

/// A figure that somebody judges in a group beside the metrics of its plan.
///
/// It is in the rows of the pairs, and a group goes on until it is settled as well. Where no side
/// has it, it is none of the group's. A plain value; any thread.
package struct FurtherFigure: Hashable, Sendable {
  package let key: FigureKey
  /// What candidates are compared with, in the unit of the metric; nil for the base.
  package let limit: Double?
  /// What counts as a difference.
  package let tolerance: Tolerance

  package init(_ key: FigureKey, limit: Double? = nil, tolerance: Tolerance) {
    self.key = key
    self.limit = limit
    self.tolerance = tolerance
  }
}
