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
    let tally: Tally
    let queue: BorrowedQueue
  }

  private let array: SortingArray
  private let count: Int
  private let grain: Int
  private let storage: TallyStorage
  /// What the operations of a serial run have counted.
  private let expected: TallyTotals

  init(words: Int, grain: Int, seed: Int) throws(WorkloadError) {
    array = try SortingArray(for: "quicksort", count: words, seed: seed)
    count = words
    self.grain = grain
    storage = try TallyStorage(for: "quicksort")
    var totals = TallyTotals()
    Self.count(in: array.handle, 0, words, grain, &totals)
    expected = totals
  }

  package var operationsPerIteration: Int { Int(expected.operations) }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (array, count, grain, tally) = (array.handle, count, grain, storage.tally)
    self.array.refill()
    _ = storage.take()  // what an iteration that failed has left
    try TimedIteration.run("quicksort", on: scheduler, recorder: &recorder) { queue in
      let place = Place(array: array, grain: grain, tally: tally, queue: BorrowedQueue(queue))
      queue.addOperation { Self.sort(0, count, place) }
    }
    try self.array.check()
    try storage.check("quicksort", expected: expected)
  }

  private static func sort(_ first: Int, _ end: Int, _ place: Place) {
    place.tally.count(checksum: word(first, end), isLeaf: end - first <= place.grain, depth: 0)
    var first = first
    while end - first > place.grain {
      let (begin, middle) = (first, csorting_split(place.array, first, end))
      place.queue.addOperation { sort(begin, middle, place) }
      first = middle
    }
    csorting_sort(place.array, first, end)
  }

  /// Sorts on the calling thread and counts as the operations do.
  private static func count(
    in array: UInt, _ first: Int, _ end: Int, _ grain: Int, _ totals: inout TallyTotals
  ) {
    totals.count(checksum: word(first, end), isLeaf: end - first <= grain, depth: 0)
    var first = first
    while end - first > grain {
      let middle = csorting_split(array, first, end)
      count(in: array, first, middle, grain, &totals)
      first = middle
    }
    csorting_sort(array, first, end)
  }

  /// An operation as one word: where its part begins and ends.
  private static func word(_ first: Int, _ end: Int) -> UInt64 {
    UInt64(first) << 32 | UInt64(end)
  }
}

extension WorkloadDescription {
  /// Quicksort.
  package static let quickSort = WorkloadDescription(
    name: "quicksort",
    summary: "quicksort: one part is added as an operation, the other split on in place",
    notShown: "a parallel split: the first operation goes through everything alone",
    tags: ["throughput", "fork-join", "known-answer"],
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
