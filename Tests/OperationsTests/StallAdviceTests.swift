// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import OperationsDiagnosis
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// What the stall report advises, and how long its text is.
  @Suite(.contract(117)) struct StallAdviceTests {
    private func named(
      _ name: String, _ body: @escaping @Sendable (TestOperation) -> Void = { _ in }
    ) -> TestOperation {
      let operation = TestOperation(nil, body)
      operation.name = name
      return operation
    }

    @Test(arguments: Kind.each)
    func limitZeroSaysWhatToDo(_ kind: Kind) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = 0
      queue.addOperation {}
      let text = queue.stallReport().description
      #expect(
        text.contains("limit of its queue is 0; set maxConcurrentOperationCount to 1 or more"))
      queue.maxConcurrentOperationCount = 1
      queue.expectQuiet()
    }

    @Test(.contract(42, 117), arguments: Kind.each)
    func closedGatesAndUnmetConditions(_ kind: Kind) {
      let queue = kind.queue()
      let gate = ReadinessGate()
      let level = Atomic<Bool>(false)
      let predicate = ReadinessPredicate { level.load(ordering: .acquiring) }
      let gated = named("gated")
      gated.addReadinessCondition(gate)
      let conditional = named("conditional")
      conditional.addReadinessCondition(predicate)
      let both = named("both")
      both.addReadinessCondition(predicate)
      both.addReadinessCondition(gate)
      queue.addOperations([gated, conditional, both], waitUntilFinished: false)
      // A worker looks first.
      #expect(
        waitUntil(deadline: patience) {
          let report = queue.stallReport()
          return report[gated]?.reasons == [.gateClosed]
            && report[conditional]?.reasons == [.conditionNotMet]
            && report[both]?.reasons == [.gateClosed, .conditionNotMet]
        })
      let text = queue.stallReport().description
      #expect(text.contains("its ReadinessGate is closed; call open() on the gate"))
      #expect(text.contains("its readiness condition is not met; call signal()"))
      #expect(!text.contains("own isReady"))
      level.store(true, ordering: .releasing)
      #expect(queue.stallReport()[conditional]?.reasons == [.readinessNotAnnounced])
      predicate.signal()
      gate.open()
      queue.expectQuiet()
    }

    @Test func adviceForACycle() {
      let queue = Kind.pools[1].queue()
      let (first, second) = (named("first"), named("second"))
      first.addDependency(second)
      second.addDependency(first)
      queue.addOperations([first, second], waitUntilFinished: false)
      let text = queue.stallReport().description
      #expect(text.contains("\"; cancel a member, remove a dependency, or make what follows"))
      first.cancel()
      queue.expectQuiet()
    }

    /// A report of many operations shows the first ones and counts the others; the structure has all.
    @Test(arguments: [false, true]) func textIsBounded(isRing: Bool) {
      let queue = Kind.pools[1].queue()
      queue.isSuspended = true
      var operations: [Operation] = []
      for _ in 0..<5_000 {
        let operation = BlockOperation {}
        if let last = operations.last { operation.addDependency(last) }
        operations.append(operation)
      }
      if isRing { operations[0].addDependency(operations[4_999]) }
      queue.addOperations(operations, waitUntilFinished: false)
      let report = queue.stallReport()
      #expect(report.entries.count == 5_000)
      #expect(report.cycles.map(\.count) == (isRing ? [5_001] : []))
      let text = report.description
      #expect(text.count < 80_000)
      #expect(text.contains("→ … (4994 more)") == isRing)
      #expect(text.hasSuffix("… and 4900 more operations"))
      queue.invalidate()
      queue.expectQuiet()
    }
  }
}
