// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import Operations

extension OperationLayer {
  /// Limits beyond what most programs set.
  @Suite(.contract(112)) struct LimitTests {
    @Test func limitsAreKeptExactlyOrRoundedDown() {
      let exact = PolicyWord.largestExactLimit
      for limit in [0, 1, 2, 1000, exact - 1, exact] {
        #expect(PolicyWord.limit(PolicyWord.withLimit(.max, Int(limit))) == limit)
      }
      for limit in stride(from: exact, through: PolicyWord.largestLimit, by: 4_999) {
        let kept = PolicyWord.limit(PolicyWord.withLimit(0, Int(limit)))
        #expect(kept <= limit && limit - kept < PolicyWord.limitStep)
      }
      for limit in [Int(PolicyWord.largestLimit), 1 << 20, .max] {
        let word = PolicyWord.withLimit(PolicyWord.suspended, limit)
        #expect(PolicyWord.limit(word) == PolicyWord.largestLimit && !PolicyWord.isUnlimited(word))
      }
      #expect(PolicyWord.isUnlimited(PolicyWord.withLimit(PolicyWord.withLimit(0, 5), nil)))
    }

    /// More than fit into sixteen bits.
    @Test(arguments: Kind.each)
    func aLargeLimitIsALimit(_ kind: Kind) {
      let queue = kind.queue()
      let (limit, kept, count) = (66_000, 65_984, 66_100)
      queue.maxConcurrentOperationCount = limit
      let operations = (0..<count).map { _ in TestAsyncOperation() }
      queue.addOperations(operations, waitUntilFinished: false)
      let running = { operations.lazy.filter(\.isExecuting).count }
      #expect(waitUntil(deadline: patience) { running() == kept })
      #expect(!queue.wait(timeout: .milliseconds(5)) && running() == kept)
      #expect(queue.maxConcurrentOperationCount == limit)
      let haveFinished = waitUntil(deadline: patience) {
        for operation in operations where operation.isExecuting { operation.finish() }
        return operations.allSatisfy(\.isFinished)
      }
      #expect(haveFinished)
      queue.expectQuiet()
    }
  }
}
