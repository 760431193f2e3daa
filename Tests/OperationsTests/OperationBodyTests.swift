// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Operations

extension OperationLayer {
  /// Bodies that the queue stores in its cells, and those that become closures.
  struct OperationBodyTests {
    /// What became of the bodies of a test.
    private final class Tally: Sendable {
      let runs = Atomic<Int>(0)
      let living = Atomic<Int>(0)
    }

    /// Dies when the last body that has it does.
    private final class Witness: Sendable {
      private let tally: Tally
      init(_ tally: Tally) {
        self.tally = tally
        tally.living.wrappingAdd(1, ordering: .relaxed)  // relaxed: a count
      }
      // releasing: pairs with the acquire of the test that waits for it.
      deinit { tally.living.wrappingSubtract(1, ordering: .releasing) }
    }

    /// Fills a place: three words.
    private struct Small: OperationBody {
      let witness: Witness
      let tally: Tally
      let number: Int
      func run() { tally.runs.wrappingAdd(number, ordering: .relaxed) }  // relaxed: a count
    }

    /// Has no place in a cell.
    private struct Large: OperationBody {
      let small: Small
      let more = 0
      func run() { small.run() }
    }

    private struct Empty: OperationBody {
      func run() {}
    }

    /// How a body gets into a queue.
    enum Way: CaseIterable, Sendable {
      /// By the call that a program makes.
      case added
      /// By a function without a context, which an optimised build makes of that call.
      case stored
      /// Too large for a cell.
      case large
    }

    private func add(_ tally: Tally, to queue: OperationQueue, _ way: Way) -> OperationHandle {
      let body = Small(witness: Witness(tally), tally: tally, number: 1)
      switch way {
      case .added: return queue.addOperation(body)
      case .large: return queue.addOperation(Large(small: body))
      case .stored:
        let cell = queue.takeCell()
        unsafe StoredBody.place(in: cell).initializeMemory(as: Small.self, to: body)
        let use: StoredBody.Function = { place, use in
          let body = unsafe place.assumingMemoryBound(to: Small.self).move()
          switch use {
          case .run: body.run()
          case .drop: break
          case .wrap: return { body.run() }
          }
          return nil
        }
        let words = unsafe bodyWords(use)
        #expect(words.context == 0)
        return unsafe queue.addCell(cell, use)
      }
    }

    private func expect(_ tally: Tally, runs: Int) {
      // acquire: what the bodies did before they died.
      #expect(waitUntil { tally.living.load(ordering: .acquiring) == 0 })
      #expect(tally.runs.load(ordering: .relaxed) == runs)  // relaxed: after that
    }

    @Test(.contract(74), arguments: Kind.each, Way.allCases)
    func aBodyRunsOnceAndDies(_ kind: Kind, way: Way) {
      let queue = kind.queue()
      let tally = Tally()
      for _ in 0..<500 { _ = add(tally, to: queue, way) }
      queue.addOperation(Empty())
      #expect(queue.wait(timeout: patience))
      expect(tally, runs: 500)
    }

    @Test(.contract(46), arguments: Kind.each, Way.allCases)
    func aBodyThatIsCancelledBeforeItStartsDiesWithoutRunning(_ kind: Kind, way: Way) {
      let queue = kind.queue()
      let tally = Tally()
      queue.isSuspended = true
      let handles = (0..<50).map { _ in add(tally, to: queue, way) }
      for handle in handles[..<10] { handle.cancel() }
      queue.isSuspended = false
      #expect(queue.wait(timeout: patience))
      #expect(handles.allSatisfy { $0.isFinished })
      expect(tally, runs: 40)
    }

    /// As an object, behind a barrier and where events are observed the body becomes a closure.
    @Test(.contract(74, 108), arguments: Kind.each, Way.allCases)
    func aBodyWhoseOperationIsAskedForRunsOnce(_ kind: Kind, way: Way) {
      let queue = kind.queue()
      let tally = Tally()
      queue.isSuspended = true
      let handles = (0..<30).map { _ in add(tally, to: queue, way) }
      let operations = handles[..<10].map(\.operation)
      #expect(queue.operations.count == 30)
      queue.addBarrierBlock {}
      _ = (0..<5).map { _ in add(tally, to: queue, way) }
      operations[0].cancel()
      queue.isSuspended = false
      #expect(queue.wait(timeout: patience))
      #expect(operations.allSatisfy { $0.isFinished })
      expect(tally, runs: 34)
    }

    /// A subclass may override `addOperation(_:)`.
    @Test func aQueueOfASubclassIsGivenAnOperation() {
      final class Noting: OperationQueue, @unchecked Sendable {
        let added = Atomic<Int>(0)
        override func addOperation(_ operation: Operation) {
          added.wrappingAdd(1, ordering: .relaxed)  // relaxed: a count
          super.addOperation(operation)
        }
      }
      let queue = Noting(scheduler: InlineScheduler())
      let tally = Tally()
      _ = add(tally, to: queue, .added)
      #expect(queue.added.load(ordering: .relaxed) == 1)  // relaxed: one thread
      expect(tally, runs: 1)
    }
  }
}
