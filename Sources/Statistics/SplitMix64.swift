// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The generator behind every resampling and simulation.
///
/// Draws are defined here and not by the standard library, whose methods may change between
/// releases: the same seed gives the same p-value for good. A plain value; not for secrets.
/// Source: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts the sequence of a seed; any seed is good.
  package init(seed: UInt64) {
    state = seed
  }

  /// Starts one of the many sequences that share a seed, told apart by a number.
  ///
  /// What a stream delivers does not depend on which other streams were used before.
  init(seed: UInt64, stream: UInt64) {
    var mixer = SplitMix64(seed: seed)
    let mixed = mixer.next()
    mixer = SplitMix64(seed: mixed ^ (stream &* 0xD6E8_FEB8_6659_FD93))
    state = mixer.next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A figure from 0 up to but not including 1, in steps of 2⁻⁵³.
  mutating func uniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// A whole number from 0 up to but not including `bound`, which is positive.
  ///
  /// The high word of a product, without rejection: the bias is at most `bound` / 2⁶⁴.
  package mutating func index(below bound: Int) -> Int {
    Int(UInt64(bound).multipliedFullWidth(by: next()).high)
  }

  /// A standard normal figure, by Box and Muller's transform.
  mutating func normal() -> Double {
    let radius = (-2 * log(1 - uniform())).squareRoot()
    return radius * cos(2 * .pi * uniform())
  }

  /// Puts the elements in random order, each order equally likely.
  mutating func shuffle<Element>(_ elements: inout [Element]) {
    var last = elements.count - 1
    while last > 0 {
      elements.swapAt(last, index(below: last + 1))
      last -= 1
    }
  }
}
