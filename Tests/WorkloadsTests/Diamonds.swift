// SPDX-License-Identifier: Apache-2.0

import Harness
import Operations
import Scheduling

@testable import Workloads

/// `n` diamonds of four operations: a first one, two that depend on it, and a last one that depends
/// on both.
///
/// Stresses: a finish with two successors, and starts that wait for two dependencies.
/// Does not show: wide graphs; at most two operations of a diamond run at a time.
/// Every body checks that its predecessors have run.
package final class Diamonds: Workload {
  private let storage: SlotStorage

  init(count: Int) throws(WorkloadError) {
    storage = try SlotStorage(for: "diamonds", count: 4 * count)
  }

  package var operationsPerIteration: Int { storage.count }

  package func iterate(
    on scheduler: any Scheduler, recorder: inout IterationRecorder
  ) throws(WrongAnswer) {
    let slots = storage.slots
    let count = storage.count
    try TimedIteration.run("diamonds", on: scheduler, recorder: &recorder) {
      var operations: [Operation] = []
      operations.reserveCapacity(count)
      for top in stride(from: 0, to: count, by: 4) {
        let (left, right, bottom) = (top + 1, top + 2, top + 3)
        let first = BlockOperation { slots.increment(top) }
        let sides = [left, right].map { side in
          BlockOperation { slots.expect(top, at: slots.increment(side)) }
        }
        let last = BlockOperation {
          let runs = slots.increment(bottom)
          slots.expect(left, at: runs)
          slots.expect(right, at: runs)
        }
        for side in sides {
          side.addDependency(first)
          last.addDependency(side)
        }
        operations += [first, sides[0], sides[1], last]
      }
      return operations
    }
    try storage.checkIteration(of: "diamonds")
  }
}

extension WorkloadDescription {
  /// Many small graphs that fork and join.
  package static let diamonds = WorkloadDescription(
    name: "diamonds",
    summary: "two operations between a first and a last one; cost of a fork and a join",
    notShown: "wide graphs: at most two operations of a diamond run at a time",
    tags: ["throughput", "dependency"],
    axes: [
      Axis(
        name: "n", summary: "diamonds", smoke: 50, quick: 5_000, real: 50_000,
        legal: 1...10_000_000)
    ],
    make: { parameters throws(WorkloadError) in try Diamonds(count: parameters["n"]) })
}
