// SPDX-License-Identifier: Apache-2.0

import OperationsFoundation
import TestSupport
import Testing

/// What an operation may cost: less than Foundation's own, in the same process.
struct BudgetTests {
  #if DEBUG
    private static let isOptimised = false
  #else
    private static let isOptimised = true
  #endif

  @Test(.contract(135), .enabled(if: isOptimised, "a debug build says nothing about cost"))
  func anEmptyClosureCostsLessThanOnFoundation() {
    let count = 20_000
    let ours = OperationQueue()
    let theirs = Foundation.OperationQueue()
    let our = best {
      for _ in 0..<count { ours.addOperation {} }
      ours.waitUntilAllOperationsAreFinished()
    }
    let their = best {
      for _ in 0..<count { theirs.addOperation {} }
      theirs.waitUntilAllOperationsAreFinished()
    }
    #expect(our < their, "\(our / count) per closure, \(their / count) on Foundation")
  }

  /// The shortest of several rounds: other programs only ever make one longer.
  private func best(_ round: () -> Void) -> Duration {
    (0..<5).map { _ in ContinuousClock().measure(round) }.min() ?? .zero
  }
}
