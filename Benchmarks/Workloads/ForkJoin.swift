// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling

/// fib(n) by recursion: fib(n-1) is added as an operation, fib(n-2) evaluated in place, and a
/// continuation joins them.
///
/// Stresses: adding from inside operations, the deque's owner path, and stealing of subtrees. Does
/// not show: the cost of a blocking join; no operation waits, as none can without holding its
/// worker. One operation is one added closure: the root and one per call that is not a leaf, fib(n
/// + 1) in all.
package final class ForkJoin: Workload {
  private let argument: Int
  private let expected: UInt64

  init(argument: Int) {
    self.argument = argument
    expected = Fibonacci.value(argument)
  }

  package var operationsPerIteration: Int { Fibonacci.operationCount(argument) }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let root = Fibonacci.Join()
    let argument = argument
    try TimedIteration.run("fork-join", on: scheduler, recorder: &recorder) { queue in
      let queue = BorrowedQueue(queue)
      queue.addOperation { Self.evaluate(argument, into: root, on: queue) }
    }
    try Self.check(root, expected: expected)
    root.free()
  }

  /// Evaluates one call and, in place, the smaller half of every call below it.
  private static func evaluate(_ argument: Int, into join: Fibonacci.Join, on queue: BorrowedQueue)
  {
    var argument = argument
    var join = join
    while argument >= 2 {
      let node = Fibonacci.Join(parent: join)
      let spawned = argument - 1
      queue.addOperation { evaluate(spawned, into: node, on: queue) }
      join = node
      argument -= 2
    }
    // A join that has both values is gone. So a body that is to leave its mark twice spoils the
    // sum.
    let runs = PlantedFault.runs()
    if runs > 0 { join.deliver(UInt64(argument) + UInt64(runs - 1) << 60) }
  }

  /// Throws unless the root holds the value of the serial reference.
  package static func check(
    _ root: Fibonacci.Join, expected: UInt64
  ) throws(WrongAnswer) {
    guard root.result == expected else {
      let found = root.result.map { String($0) } ?? "no value: a join has not been reached twice"
      throw WrongAnswer(message: "fork-join: \(found), expected \(expected)")
    }
  }
}

extension WorkloadDescription {
  /// Recursive Fibonacci numbers.
  package static let forkJoin = WorkloadDescription(
    name: "fork-join",
    summary: "recursive Fibonacci: operations add operations, continuations join them",
    notShown: "the cost of a blocking join: no operation waits",
    tags: ["throughput", "fork-join", "closures"],
    axes: [
      Axis(
        name: "n", summary: "argument; fib(n + 1) operations", smoke: 10, quick: 21, real: 30,
        legal: 0...45, warmUp: 25)
    ],
    make: { parameters throws(WorkloadError) in ForkJoin(argument: parameters["n"]) })
}
