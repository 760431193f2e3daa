// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives

/// Random choices of the trials; the same seed makes the same table.
struct TrialGenerator {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// A number from 0 up to but not including `bound`, which is positive.
  mutating func index(below bound: Int) -> Int { generator.index(below: bound) }

  /// True in one of two cases.
  mutating func toss() -> Bool { generator.next() >> 63 == 0 }

  /// A seed for somebody else's choices.
  mutating func seed() -> UInt64 { generator.next() }
}
