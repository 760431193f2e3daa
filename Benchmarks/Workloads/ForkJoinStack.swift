// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling
internal import Synchronization

/// fib(n) by recursion with `forkJoin`: fib(n-1) runs in place while fib(n-2) is offered to the
/// other workers.
///
/// Stresses: the owner path of the deques, stealing of subtrees, and joins that wait.
/// Does not show: operations; there is one, the root. In the first iteration, the warm-up, every
/// leaf is counted, which later would cost as much as a fork.
/// One operation of the figures is one fork, or the root: fib(n + 1) in all, as in `fork-join`.
package final class ForkJoinStack: Workload {
  private let argument: Int
  private let expected: UInt64
  private let storage: TallyStorage
  private var isFirstIteration = true

  init(argument: Int) throws(WorkloadError) {
    self.argument = argument
    expected = Fibonacci.value(argument)
    storage = try TallyStorage(for: "fork-join-stack")
  }

  package var operationsPerIteration: Int { Fibonacci.operationCount(argument) }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let argument = argument
    let found = Found()
    let tally = isFirstIteration ? storage.tally : nil
    try TimedIteration.run("fork-join-stack", on: scheduler, recorder: &recorder) { queue in
      queue.addOperation {
        found.store(tally.map { Self.count(argument, $0) } ?? Self.evaluate(argument))
      }
    }
    let (value, runs) = (found.value, found.runs)
    guard value == expected, runs == 1 else {
      throw WrongAnswer(
        message: "fork-join-stack: \(value) after \(runs) runs of the root; expected \(expected) "
          + "after one")
    }
    guard isFirstIteration else { return }
    isFirstIteration = false
    try storage.check("fork-join-stack", expected: leaves)
  }

  /// What the leaves have counted: one for each operation of the figures, of which fib(n) are 1.
  private var leaves: TallyTotals {
    var totals = TallyTotals()
    for leaf in 0..<operationsPerIteration {
      totals.count(
        checksum: UInt64(leaf) < expected ? 1 : 0, isLeaf: true, depth: 0)
    }
    return totals
  }

  private static func evaluate(_ argument: Int) -> UInt64 {
    guard argument >= 2 else { return UInt64(argument) }
    let (first, second) = forkJoin({ evaluate(argument - 1) }, { evaluate(argument - 2) })
    return first + second
  }

  /// As `evaluate`, and counts the leaves.
  private static func count(_ argument: Int, _ tally: Tally) -> UInt64 {
    guard argument >= 2 else {
      tally.count(checksum: UInt64(argument), isLeaf: true, depth: 0)
      return UInt64(argument)
    }
    let (first, second) = forkJoin({ count(argument - 1, tally) }, { count(argument - 2, tally) })
    return first + second
  }
}

/// Where the root leaves the answer.
private final class Found: Sendable {
  private let word = Atomic<UInt64>(.max)
  private let count = Atomic(0)

  // relaxed, all: the queue orders them.
  func store(_ value: UInt64) {
    word.store(value, ordering: .relaxed)
    count.add(1, ordering: .relaxed)
  }
  var value: UInt64 { word.load(ordering: .relaxed) }
  /// How often the root has run.
  var runs: Int { count.load(ordering: .relaxed) }
}

extension WorkloadDescription {
  /// Recursive Fibonacci numbers, forked in the stack.
  package static let forkJoinStack = WorkloadDescription(
    name: "fork-join-stack",
    summary: "recursive Fibonacci: forks in the stack of one operation, joined in place",
    notShown: "operations: there is one",
    tags: ["throughput", "fork-join", "graph"],
    runsByDefault: false,
    axes: forkJoin.axes,
    make: { parameters throws(WorkloadError) in
      try ForkJoinStack(argument: parameters["n"])
    })
}
