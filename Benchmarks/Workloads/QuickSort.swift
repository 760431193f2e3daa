// SPDX-License-Identifier: Apache-2.0

internal import CKernels
package import Harness
internal import Operations
package import Scheduling

/// Quicksort by recursion: one part is added as an operation, the other is split on in place.
///
/// Stresses: adding from inside operations in a tree whose halves are unequal. Does not show: a
/// parallel split; the first operation goes through the whole array alone.
package final class QuickSort: Workload {
  private struct Place: Sendable {
    let array: UInt
    let grain: Int
    let queue: BorrowedQueue
  }

  private let array: SortingArray
  private let count: Int
  private let grain: Int
  package let operationsPerIteration: Int

  init(words: Int, grain: Int, seed: Int) throws(WorkloadError) {
    array = try SortingArray(for: "quicksort", count: words, seed: seed)
    count = words
    self.grain = grain
    operationsPerIteration = Self.operations(in: array.handle, 0, words, grain)
  }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (array, count, grain) = (array.handle, count, grain)
    self.array.refill()
    try TimedIteration.run("quicksort", on: scheduler, recorder: &recorder) { queue in
      let place = Place(array: array, grain: grain, queue: BorrowedQueue(queue))
      queue.addOperation { Self.sort(0, count, place) }
    }
    try self.array.check()
  }

  private static func sort(_ first: Int, _ end: Int, _ place: Place) {
    var first = first
    while end - first > place.grain {
      let (begin, middle) = (first, csorting_split(place.array, first, end))
      place.queue.addOperation { sort(begin, middle, place) }
      first = middle
    }
    csorting_sort(place.array, first, end)
  }

  /// Sorts on the calling thread and counts what the workload adds.
  private static func operations(in array: UInt, _ first: Int, _ end: Int, _ grain: Int) -> Int {
    var first = first
    var count = 1
    while end - first > grain {
      let middle = csorting_split(array, first, end)
      count += operations(in: array, first, middle, grain)
      first = middle
    }
    csorting_sort(array, first, end)
    return count
  }
}

extension WorkloadDescription {
  /// Quicksort.
  package static let quickSort = WorkloadDescription(
    name: "quicksort",
    summary: "quicksort: one part is added as an operation, the other split on in place",
    notShown: "a parallel split: the first operation goes through everything alone",
    tags: ["throughput", "fork-join", "recursive", "known-answer"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "n", summary: "words", smoke: 300, quick: 20_000, real: 1_000_000,
        legal: 1...1_000_000_000),
      Axis(
        name: "grain", summary: "words that an operation sorts alone", smoke: 10, quick: 100,
        real: 500, legal: 1...1_000_000_000),
      Axis(name: "seed", summary: "seed of the words", always: 1, legal: .numbers(0...Int.max)),
    ],
    iterationSeconds: { Double($0["n"]) * 100e-9 },
    make: { parameters throws(WorkloadError) in
      try QuickSort(words: parameters["n"], grain: parameters["grain"], seed: parameters["seed"])
    })
}
