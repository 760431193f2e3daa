// SPDX-License-Identifier: Apache-2.0

package import Results
internal import Statistics

/// All repetitions of one case.
package struct CaseCounts: Sendable {
  /// In the order in which they were taken; at least one.
  package private(set) var repetitions: [OperationCounter.Repetition]

  /// The counts of a first repetition.
  package init(_ first: OperationCounter.Repetition) { repetitions = [first] }

  /// Takes another one in.
  package mutating func add(_ repetition: OperationCounter.Repetition) {
    repetitions.append(repetition)
  }

  /// Median and range of each count.
  package var counts: OperationCounts {
    OperationCounts(
      instructions: count(\.instructions), readModifyWrites: count(\.readModifyWrites),
      allocations: count(\.allocations))
  }

  /// What the counts depend on besides the source.
  package var toolchain: String { repetitions[0].toolchain }

  /// Instructions per operation by function: the median over repetitions.
  package var functions: [String: Double] {
    let names = Set(repetitions.flatMap(\.functions.keys))
    return Dictionary(
      uniqueKeysWithValues: names.map { name in
        (name, median(repetitions.map { $0.functions[name] ?? 0 }))
      })
  }

  private func count(_ value: (OperationCounter.Repetition) -> Double) -> OperationCounts.Count {
    let values = repetitions.map(value)
    let range = (values.max() ?? 0) - (values.min() ?? 0)
    return OperationCounts.Count(median(values), spread: range)
  }
}
