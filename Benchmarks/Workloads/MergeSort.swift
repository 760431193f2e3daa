// SPDX-License-Identifier: Apache-2.0

internal import CKernels
package import Harness

/// Mergesort as a graph: sorted runs, merged in pairs until there is one.
///
/// Stresses: a tree of joins whose operations double from level to level, so that the last ones
/// have no company. Does not show: a parallel merge.
enum MergeSort {
  /// A run or a merge, by the number of its node: the runs first, then the merges level by level.
  struct Body: NodeBody {
    let array: UInt
    let runs: Int
    let words: Int

    func run(_ node: Int) {
      guard node >= runs else {
        return csorting_sort(array, start(node, of: runs), start(node + 1, of: runs))
      }
      let (level, place) = position(node)
      let parts = runs >> level
      csorting_merge(
        array, Int32(level + 1) & 1, start(place, of: parts), start(2 * place + 1, of: 2 * parts),
        start(place + 1, of: parts))
    }

    /// The level of a merge, 1 for those of two runs, and its place there.
    func position(_ node: Int) -> (level: Int, place: Int) {
      var (level, first) = (1, runs)
      while node >= first + runs >> level {
        first += runs >> level
        level += 1
      }
      return (level, node - first)
    }

    /// Where a part begins, of so many of equal length.
    func start(_ part: Int, of parts: Int) -> Int { part * words / parts }
  }

  static func make(levels: Int, words: Int, seed: Int) throws(WorkloadError) -> GraphProgram<Body> {
    let name = "mergesort"
    let array = try SortingArray(for: name, count: words << levels, seed: seed)
    let runs = 1 << levels
    let body = Body(array: array.handle, runs: runs, words: words << levels)
    let lists = try PredecessorLists(for: name, count: 2 * runs - 1) { node, add in
      guard node >= runs else { return }
      let (level, place) = body.position(node)
      // The level below begins where all before it end.
      let below = 2 * runs - (4 * runs >> level)
      add(below + 2 * place)
      add(below + 2 * place + 1)
    }
    return try GraphProgram(name, lists, as: .operations, body: body, prepare: array.refill) {
      () throws(WrongAnswer) in try array.check(inSecond: levels % 2 == 1)
    }
  }
}

extension WorkloadDescription {
  /// Mergesort.
  package static let mergeSort = WorkloadDescription(
    name: "mergesort",
    summary: "mergesort as a graph: runs, and merges that double from level to level",
    notShown: "a parallel merge: the last operation merges everything alone",
    tags: ["throughput", "dependency", "fork-join", "known-answer"],
    runsByDefault: false,
    axes: [
      Axis(
        name: "levels", summary: "levels of merges", smoke: 4, quick: 6, real: 10, legal: 0...20),
      Axis(
        name: "words", summary: "words of a run", smoke: 20, quick: 200, real: 1000,
        legal: 1...1_000_000),
      Axis(name: "seed", summary: "seed of the words", always: 1, legal: .numbers(0...Int.max)),
    ],
    metrics: ["edges"],
    iterationSeconds: { Double($0["words"] << $0["levels"]) * 100e-9 },
    make: { parameters throws(WorkloadError) in
      try MergeSort.make(
        levels: parameters["levels"], words: parameters["words"], seed: parameters["seed"])
    })
}
