// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Workloads

/// Recursive Fibonacci numbers with continuations, as `ForkJoin` computes them.
final class FoundationForkJoin: ReferenceWorkload {
  private let argument: Int
  private let expected: UInt64

  init(argument: Int) {
    self.argument = argument
    expected = Fibonacci.value(argument)
  }

  var operationsPerIteration: Int { Fibonacci.operationCount(argument) }

  func iterate(workers: Int, recorder: inout IterationRecorder) throws(WrongAnswer) {
    let root = Fibonacci.Join()
    let argument = argument
    recorder.begin()
    var queue: OperationQueue? = FoundationIteration.makeQueue(workers: workers)
    recorder.built()
    if let queue {
      queue.addOperation { Self.evaluate(argument, into: root, on: queue) }
      queue.waitUntilAllOperationsAreFinished()
    }
    withExtendedLifetime(queue) { recorder.ran() }
    queue = nil
    recorder.released()
    try ForkJoin.check(root, expected: expected)
    root.free()
  }

  private static func evaluate(_ argument: Int, into join: Fibonacci.Join, on queue: OperationQueue)
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
    join.deliver(UInt64(argument))
  }
}
