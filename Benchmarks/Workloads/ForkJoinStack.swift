// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import Operations
package import Scheduling
internal import Synchronization

/// fib(n) by recursion with `forkJoin`: fib(n-1) runs in place while fib(n-2) is offered to the
/// other workers.
///
/// Stresses: the owner path of the deques, stealing of subtrees, and joins that wait.
/// Does not show: operations; there is one, the root.
/// One operation of the figures is one fork, or the root: fib(n + 1) in all, as in `fork-join`.
package final class ForkJoinStack: Workload {
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
    let argument = argument
    let found = Found()
    try TimedIteration.run("fork-join-stack", on: scheduler, recorder: &recorder) { queue in
      queue.addOperation { found.store(Self.evaluate(argument)) }
    }
    let value = found.value
    guard value == expected else {
      throw WrongAnswer(message: "fork-join-stack: \(value), expected \(expected)")
    }
  }

  private static func evaluate(_ argument: Int) -> UInt64 {
    guard argument >= 2 else { return UInt64(argument) }
    let (first, second) = forkJoin({ evaluate(argument - 1) }, { evaluate(argument - 2) })
    return first + second
  }
}

/// Where the root leaves the answer.
private final class Found: Sendable {
  private let word = Atomic<UInt64>(.max)

  // relaxed, both: the queue orders them.
  func store(_ value: UInt64) { word.store(value, ordering: .relaxed) }
  var value: UInt64 { word.load(ordering: .relaxed) }
}

extension WorkloadDescription {
  /// Recursive Fibonacci numbers, forked in the stack.
  package static let forkJoinStack = WorkloadDescription(
    name: "fork-join-stack",
    summary: "recursive Fibonacci: forks in the stack of one operation, joined in place",
    notShown: "operations: there is one",
    tags: ["throughput", "recursive", "graph"],
    runsByDefault: false,
    axes: forkJoin.axes,
    make: { parameters throws(WorkloadError) in ForkJoinStack(argument: parameters["n"]) })
}
