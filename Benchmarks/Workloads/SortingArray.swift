// SPDX-License-Identifier: Apache-2.0

internal import CKernels
internal import Harness

/// Owns the array that a workload sorts, and knows what belongs in it.
final class SortingArray {
  /// What the functions of `CKernels` take.
  let handle: UInt
  private let name: String
  private let seed: UInt64
  private let hash: UInt64

  init(for name: String, count: Int, seed: Int) throws(WorkloadError) {
    handle = csorting_make(count)
    guard handle != 0 else { throw .noMemory(name, count) }
    self.name = name
    self.seed = UInt64(seed)
    csorting_fill(handle, self.seed)
    hash = csorting_hash(handle, 0)
  }

  deinit { csorting_drop(handle) }

  /// Fills the array with the same words, in the same order, as the first time.
  func refill() { csorting_fill(handle, seed) }

  /// Throws unless the array, or the second one, has the same words in ascending order.
  func check(inSecond: Bool = false) throws(WrongAnswer) {
    let place: Int32 = inSecond ? 1 : 0
    guard csorting_is_sorted(handle, place) != 0 else {
      throw WrongAnswer(message: "\(name): the words do not ascend; expected them sorted")
    }
    guard csorting_hash(handle, place) == hash else {
      throw WrongAnswer(message: "\(name): words are lost or doubled; expected those of the start")
    }
  }
}
