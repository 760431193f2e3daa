// SPDX-License-Identifier: Apache-2.0

/// Which worker indices are in use: the lowest free one is given out, so that they stay small.
///
/// A plain value, one bit per index up to the highest that was ever in use.
package struct WorkerIndices: Sendable {
  private var used: [UInt64] = [0]

  /// No index is in use.
  package init() {}

  /// One more than the highest index in use, 0 without any.
  ///
  /// O(highest index that was ever in use / 64), as `take`.
  package var bound: Int {
    guard let word = used.lastIndex(where: { $0 != 0 }) else { return 0 }
    return word * 64 + 64 - used[word].leadingZeroBitCount
  }

  /// The lowest free index, which is in use from now on; nil where that is not below `limit`.
  package mutating func take(below limit: Int) -> Int? {
    let word = used.firstIndex { $0 != .max } ?? used.endIndex
    let bit = word == used.endIndex ? 0 : (~used[word]).trailingZeroBitCount
    let index = word * 64 + bit
    guard index < limit else { return nil }
    if word == used.endIndex { used.append(0) }
    used[word] |= 1 << UInt64(bit)
    return index
  }

  /// The lowest free index, which is in use from now on.
  package mutating func take() -> Int {
    guard let index = take(below: .max) else {
      fatalError("worker indices: none is free; expected less than \(Int.max) in use")
    }
    return index
  }

  /// Frees an index that `take` gave out.
  package mutating func giveBack(_ index: Int) { used[index / 64] &= ~(1 << UInt64(index % 64)) }
}
