// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import OperationsDiagnosis
import Synchronization
import TestSupport
import Testing

extension OperationLayer {
  /// What the stall report calls a wait that cannot end, what it advises, and how long its text is.
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

    /// Two operations that wait for each other inside their bodies have no dependency to remove.
    @Test(arguments: Kind.pools.filter { $0.workers == 2 })
    func adviceFitsWaitsInsideBodies(_ kind: Kind) {
      let queue = kind.queue()
      let isOver = Atomic<Bool>(false)
      let others = Locked<[Operation]>([])
      let begun = Atomic<Int>(0)
      let pair = (0..<2).map { number in
        named("body \(number)") { _ in
          begun.add(1, ordering: .relaxed)  // relaxed: nothing is read after it
          #expect(waitUntil(deadline: patience) { begun.load(ordering: .relaxed) == 2 })
          let other = others.withLock { $0[1 - number] }
          while !isOver.load(ordering: .acquiring) { _ = other.wait(timeout: .milliseconds(20)) }
        }
      }
      others.withLock { $0 = pair }
      queue.addOperations(pair, waitUntilFinished: false)
      var text = ""
      #expect(
        waitUntil(deadline: patience) {
          text = queue.stallReport().description
          return text.contains("cycle:")
        })
      #expect(text.contains("make the part after the wait inside a body a dependent operation"))
      #expect(!text.contains("remove a dependency"))
      isOver.store(true, ordering: .releasing)
      queue.expectQuiet()
      others.withLock { $0 = [] }
    }

    @Test func adviceFitsDependencies() {
      let queue = Kind.pools[1].queue()
      let (first, second) = (named("first"), named("second"))
      first.addDependency(second)
      second.addDependency(first)
      queue.addOperations([first, second], waitUntilFinished: false)
      let text = queue.stallReport().description
      #expect(text.contains("a wait that cannot end; remove a dependency or cancel a member"))
      #expect(!text.contains("body") && !text.contains("slot"))
      first.cancel()
      queue.expectQuiet()
    }

    /// A report of many operations shows the first ones and counts the others; the structure has
    /// all.
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
      #expect(text.contains("→ … (4994 more) →") == isRing)
      let cause = isRing ? "in cycles" : "waiting for other operations"
      #expect(text.hasSuffix("  … and 4900 more: 4900 \(cause)"))
      queue.invalidate()
      queue.expectQuiet()
    }
  }
}
