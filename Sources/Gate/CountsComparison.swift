// SPDX-License-Identifier: Apache-2.0

package import Results

/// How much more a count may be before it counts as a regression.
package struct CountsTolerance: Sendable, Hashable {
  /// Of instructions, as a fraction; half of what is always found.
  package var instructions = 0.005
  /// Of allocations per operation, for what happens once in many operations.
  package var allocations = 0.01
  /// Of atomic read-modify-writes per operation.
  package var readModifyWrites = 0.05

  /// The default tolerance.
  package init() {}
}

/// What is said of one count, or of all counts of a case.
package enum CountsVerdict: Int, Comparable, Sendable {
  /// Less than before, beyond the tolerance.
  case fewer
  /// No difference beyond the tolerance.
  case same
  /// Repetitions are too far apart to tell.
  case noisy
  /// More than before, beyond the tolerance: a regression.
  case more

  package static func < (left: CountsVerdict, right: CountsVerdict) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Counts of a case before and after a change.
///
/// A median of repetitions lies within their range of what they vary about, so the limit is the
/// tolerance and half the ranges of both sides. A count is judged only where 1 % more instructions,
/// or one more allocation or read-modify-write, would still pass the limit: what is judged is
/// always found, and never by chance. Where repetitions are too far apart for that, what is more by
/// several times as much as they leave open is a regression all the same.
package struct CountsComparison: Sendable, Hashable {
  /// What a difference is told of.
  package struct Difference: Sendable, Hashable {
    /// After less before, in the terms of the tolerance: a fraction of instructions, else counts.
    package let change: Double
    /// What the repetitions leave open on both sides together.
    package let wobble: Double
    /// The difference above which there is more.
    package let limit: Double
    /// What is said of it.
    package let verdict: CountsVerdict

    private init(change: Double, wobble: Double, tolerance: Double, found: Double) {
      self.change = change
      self.wobble = wobble
      limit = tolerance + wobble
      if found - wobble > limit {
        verdict = change > limit ? .more : change < -limit ? .fewer : .same
      } else {
        verdict = change > tolerance + Self.farWobbles * wobble ? .more : .noisy
      }
    }

    /// A difference of so many times what repetitions leave open is none of theirs.
    private static let farWobbles = 4.0

    /// The difference of instructions, of which there were some before, under a tolerance that is
    /// a fraction of them.
    init(
      instructionsBefore before: OperationCounts.Count, after: OperationCounts.Count,
      tolerance: Double
    ) {
      self.init(
        change: after.value / before.value - 1,
        wobble: (before.spread + after.spread) / 2 / before.value,
        tolerance: tolerance, found: tolerance + 0.005)
    }

    /// The difference of a count that has whole steps, under a tolerance per operation and the
    /// fraction of those before that may come on top.
    init(
      before: OperationCounts.Count, after: OperationCounts.Count, tolerance: Double,
      fraction: Double = 0
    ) {
      let more = fraction * before.value
      self.init(
        change: after.value - before.value, wobble: (before.spread + after.spread) / 2,
        tolerance: tolerance + more, found: 1 + more)
    }
  }

  /// As a fraction of those before.
  package let instructions: Difference
  /// Per operation.
  package let readModifyWrites: Difference
  /// Per operation.
  package let allocations: Difference

  /// Compares; `before` has taken instructions.
  package init(
    before: OperationCounts, after: OperationCounts, tolerance: CountsTolerance = .init()
  ) {
    instructions = Difference(
      instructionsBefore: before.instructions, after: after.instructions,
      tolerance: tolerance.instructions)
    readModifyWrites = Difference(
      before: before.readModifyWrites, after: after.readModifyWrites,
      tolerance: tolerance.readModifyWrites)
    allocations = Difference(
      before: before.allocations, after: after.allocations, tolerance: tolerance.allocations)
  }

  /// The gravest of the three; `fewer` where one is and no other is more or noisy.
  package var verdict: CountsVerdict {
    let all = [instructions.verdict, readModifyWrites.verdict, allocations.verdict]
    let gravest = max(all[0], all[1], all[2])
    return gravest == .same && all.contains(.fewer) ? .fewer : gravest
  }
}
