// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import TestSupport
import Testing

@testable import Operations

extension OperationLayer {
  /// Dependencies that are added and removed again and again.
  @Suite(.contract(25)) struct EdgeEditTests {
    /// Before the operation is in a queue: only what is listed is kept, in the order added, and
    /// holds it back.
    @Test(.contract(134), arguments: Kind.each, [false, true])
    func editsBeforeTheAdditionLeaveNothingBehind(_ kind: Kind, _ isObserved: Bool) {
      let queue = kind.queue()
      var random = SeededGenerator(seed: stressSeed)
      let candidates = (0..<60).map { _ in TestOperation() }
      let operation = TestOperation()
      let readiness = Log()
      let observation =
        isObserved ? operation.observe(\.isReady) { readiness.note($1.newValue ? 1 : 0) } : nil
      var expected: [Operation] = []
      var most = 0
      for round in 0..<4_000 {
        let candidate = candidates[random.index(below: candidates.count)]
        // Few edges and many in turn, below and above the number from which they are indexed.
        let wanted = round / 500 % 2 == 0 ? 4 : 40
        if let place = expected.firstIndex(where: { $0 === candidate }) {
          if expected.count > wanted || round % 3 == 0 {
            operation.removeDependency(candidate)
            expected.remove(at: place)
          }
        } else {
          operation.addDependency(candidate)
          expected.append(candidate)
        }
        most = max(most, operation.withColdTable { unsafe $0.records.count } ?? 0)
        guard operation.dependencies == expected else {
          Issue.record("round \(round), seed \(stressSeed)")
          break
        }
      }
      #expect(most <= 2 * candidates.count, "seed \(stressSeed)")
      while expected.count > 25 { operation.removeDependency(expected.removeFirst()) }
      #expect(isObserved ? readiness.values.last == 0 : readiness.values.isEmpty)
      queue.addOperation(operation)
      for dependency in expected.shuffled(using: &random) {
        #expect(operation.runCount == 0 && !operation.isReady, "seed \(stressSeed)")
        queue.addOperations([dependency], waitUntilFinished: true)
      }
      queue.expectQuiet()
      #expect(operation.runCount == 1)
      #expect(isObserved ? readiness.values.last == 1 : readiness.values.isEmpty)
      observation?.invalidate()
    }
  }
}
