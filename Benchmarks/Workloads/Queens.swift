// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// All ways to place `n` queens, with an operation for each partial board down to a depth.
///
/// Stresses: bursts of operations from inside operations, whose work differs. Does not show:
/// joining; the solutions are added up in a tally. The answer is the known number of solutions.
package final class Queens: Workload {
  /// A board as the columns and diagonals that are taken in the next row.
  private struct Board: Sendable {
    var row = 0
    var columns: UInt32 = 0
    var left: UInt32 = 0
    var right: UInt32 = 0

    /// Calls `body` with every board that has one queen more.
    @inline(__always) func forEachNext(of count: Int, _ body: (Board) -> Void) {
      var free = ~(columns | left | right) & (1 << UInt32(count) - 1)
      while free != 0 {
        let place = free & (~free &+ 1)
        free ^= place
        body(
          Board(
            row: row + 1, columns: columns | place, left: (left | place) << 1,
            right: (right | place) >> 1))
      }
    }

    /// The ways to complete it.
    func solutions(of count: Int) -> UInt64 {
      guard row < count else { return 1 }
      var sum: UInt64 = 0
      forEachNext(of: count) { sum += $0.solutions(of: count) }
      return sum
    }
  }

  /// The number of solutions for 0 queens, 1 and so on (OEIS A000170).
  static let known: [UInt64] = [
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14_200, 73_712, 365_596, 2_279_184, 14_772_512,
  ]

  private let count: Int
  private let depth: Int
  private let storage: TallyStorage
  private let expected: TallyTotals

  init(_ count: Int, depth: Int) throws(WorkloadError) {
    self.count = count
    self.depth = min(depth, count)
    storage = try TallyStorage(for: "queens")
    var totals = TallyTotals()
    Self.search(Board(), count, self.depth, &totals)
    expected = totals
    guard totals.checksum == Self.known[count] else {
      throw WorkloadError(
        message: "queens: \(totals.checksum) solutions on one thread; expected "
          + "\(Self.known[count]); the search has been changed")
    }
  }

  package var operationsPerIteration: Int { Int(expected.operations) }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let (count, depth, tally) = (count, depth, storage.tally)
    _ = storage.take()  // what an iteration that failed has left
    try TimedIteration.run("queens", on: scheduler, recorder: &recorder) { queue in
      let queue = BorrowedQueue(queue)
      queue.addOperation { Self.place(Board(), count, depth, tally, queue) }
    }
    try storage.check("queens", expected: expected)
  }

  private static func place(
    _ board: Board, _ count: Int, _ depth: Int, _ tally: Tally, _ queue: BorrowedQueue
  ) {
    let isLeaf = board.row >= depth
    tally.count(
      checksum: isLeaf ? board.solutions(of: count) : 0, isLeaf: isLeaf, depth: board.row)
    guard !isLeaf else { return }
    board.forEachNext(of: count) { next in
      queue.addOperation { place(next, count, depth, tally, queue) }
    }
  }

  private static func search(
    _ board: Board, _ count: Int, _ depth: Int, _ totals: inout TallyTotals
  ) {
    let isLeaf = board.row >= depth
    totals.count(
      checksum: isLeaf ? board.solutions(of: count) : 0, isLeaf: isLeaf, depth: board.row)
    guard !isLeaf else { return }
    var found = totals
    board.forEachNext(of: count) { search($0, count, depth, &found) }
    totals = found
  }
}

extension WorkloadDescription {
  /// The queens of a chess board.
  package static let queens = WorkloadDescription(
    name: "queens",
    summary: "all ways to place n queens: an operation for each partial board down to a depth",
    notShown: "joining: solutions are added up where they are found",
    tags: ["throughput", "fork-join", "known-answer"],
    runsByDefault: false,
    axes: [
      Axis(name: "n", summary: "queens", smoke: 6, quick: 9, real: 12, legal: 1...16),
      Axis(
        name: "depth", summary: "rows down to which boards are operations", smoke: 3, quick: 4,
        real: 5, legal: 0...16),
    ],
    iterationSeconds: { Double(Queens.known[$0["n"]]) * 3e-6 + 1e-4 },
    make: { parameters throws(WorkloadError) in
      try Queens(parameters["n"], depth: parameters["depth"])
    })
}
