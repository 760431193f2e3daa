// SPDX-License-Identifier: Apache-2.0

/// A reproducible stream of random words: the same seed gives the same stream on every machine and
/// release.
///
/// SplitMix64: period 2^64, passes BigCrush, any seed is good. Not for secrets.
/// Source: Steele, Lea and Flood, OOPSLA 2014, doi:10.1145/2660193.2660195.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The stream of this seed.
  package init(seed: UInt64) { state = seed }

  /// The next 64 random bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// A number in 0 ..< `bound` by multiplication, with a bias of at most `bound` / 2^64; `bound`
  /// must be positive.
  package mutating func index(below bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}
