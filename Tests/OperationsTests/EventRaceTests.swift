// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import TestSupport
import Testing

/// The events of each operation of one queue, in the order told.
private final class Lives: Sendable {
  private let events = Locked<[Operation: [OperationEvent.Phase]]>([:])

  init(of queue: OperationQueue) {
    queue.eventHandler = { event in self.note(event) }
  }

  private func note(_ event: OperationEvent) {
    events.withLock { $0[event.operation, default: []].append(event.phase) }
  }

  /// What is not a whole life in order; forgets all.
  func takeIncomplete() -> [[OperationEvent.Phase]] {
    let all = events.withLock { events in
      defer { events = [:] }
      return events
    }
    return all.values.filter { $0 != OperationEvent.Phase.allCases }
  }
}

extension OperationLayer {
  private typealias Pair = (dependency: TestAsyncOperation, operation: TestOperation)

  /// Operations of queues whose events are taken, while something happens to them that is told.
  @Suite(.contract(129)) struct EventRaceTests {
    private var rounds: Int { 4_000 * stressFactor / slowness }

    /// The dependency seals its list in the middle of the addition, and walks it later: one of the
    /// two sides has to hand the dependent over.
    @Test(.contract(21, 40), arguments: Kind.each)
    func addAgainstTheFinishOfTheDependency(_ kind: Kind) {
      let queue = kind.queue()
      let lives = Lives(of: queue)
      let other = kind.queue()
      // The walk follows the event: time for the adder to get on.
      other.eventHandler = { event in
        if event.phase == .ended { for _ in 0..<20 { yieldCore() } }
      }
      Duel.fight(
        rounds: rounds,
        prepare: { _ -> Pair in
          let (dependency, operation) = (TestAsyncOperation(), TestOperation())
          operation.addDependency(dependency)
          other.addOperation(dependency)
          return (dependency, operation)
        },
        left: { queue.addOperation($0.operation) },
        right: { round in
          while !round.dependency.isExecuting { yieldCore() }
          round.dependency.finish()
        },
        check: { round, number in
          let isFinished = round.operation.wait(timeout: patience)
          queue.expectQuiet("in round \(number)")
          let wrong = lives.takeIncomplete()
          #expect(isFinished && wrong.isEmpty, "round \(number), seed \(stressSeed)")
          return isFinished && wrong.isEmpty
        })
      other.expectQuiet()
    }

    /// A cancelled member may leave at once: not before its addition was told.
    @Test(arguments: Kind.each, [0, 1])
    func addAgainstCancelAll(_ kind: Kind, limit: Int) {
      let queue = kind.queue()
      queue.maxConcurrentOperationCount = limit
      let lives = Lives(of: queue)
      Duel.fight(
        rounds: rounds, prepare: { $0 },
        left: { round in
          switch round % 3 {
          case 0: queue.addOperation {}
          case 1: queue.addOperation(BlockOperation {})
          default:
            let batch = [BlockOperation {}, TestOperation()]
            queue.addOperations(batch, waitUntilFinished: false)
          }
        },
        right: { _ in queue.cancelAllOperations() },
        check: { round, _ in
          queue.cancelAllOperations()
          // The subclass waits for a slot.
          queue.maxConcurrentOperationCount = 1
          queue.expectQuiet("in round \(round)")
          queue.maxConcurrentOperationCount = limit
          let wrong = lives.takeIncomplete()
          #expect(wrong.isEmpty, "round \(round), seed \(stressSeed)")
          return wrong.isEmpty
        })
    }
  }
}
