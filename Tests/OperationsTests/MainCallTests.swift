// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Synchronization
import TestSupport
import Testing

/// An operation with a closure that counts its runs.
private struct Candidate: Sendable {
  let name: String
  /// How often the closure runs in all.
  var runs = 1
  let make: @Sendable (Runs) -> Operation

  /// One of every class that brings a body along.
  static let each = [
    Candidate(name: "block") { runs in BlockOperation { runs.note() } },
    Candidate(name: "two blocks", runs: 2) { runs in
      let operation = BlockOperation { runs.note() }
      operation.addExecutionBlock { runs.note() }
      return operation
    },
    Candidate(name: "subclass with two blocks", runs: 2) { runs in
      let operation = OwnBlockOperation { runs.note() }
      operation.addExecutionBlock { runs.note() }
      return operation
    },
    Candidate(name: "asynchronous") { runs in
      AsyncOperation {
        runs.note()
        $0.finish()
      }
    },
    Candidate(name: "task") { runs in
      AsyncOperation {
        await Task.yield()
        runs.note()
      }
    },
    Candidate(name: "result") { runs in ResultOperation { runs.note() } },
    Candidate(name: "result of a task") { runs in
      ResultOperation {
        await Task.yield()
        return runs.note()
      }
    },
    Candidate(name: "group") { runs in GroupOperation([BlockOperation { runs.note() }]) },
    Candidate(name: "body of a group") { runs in GroupOperation { _ in runs.note() } },
    Candidate(name: "timeout") { runs in
      TimeoutOperation(ResultOperation { runs.note() }, within: patience)
    },
    Candidate(name: "retry") { runs in
      RetryOperation(.init(attempts: 3)) { _ in ResultOperation { runs.note() } }
    },
    Candidate(name: "graph") { runs in
      guard let graph = try? OperationGraph({ $0.add { runs.note() } }) else { return Operation() }
      return graph.operation()
    },
  ]
}

private final class OwnBlockOperation: BlockOperation, @unchecked Sendable {}

/// Begins its body on a thread of its own.
private final class DetachingOperation: AsyncOperation, @unchecked Sendable {
  override func start() {
    do throws(SystemThreadError) {
      try SystemThread.start(name: "body") { self.main() }.detach()
    } catch { fatalError("\(error)") }
  }
}

/// Counts runs, and reads memory that dies with the closure.
private final class Runs: Sendable {
  private final class Payload: Sendable { let value = 7 }
  private let count = Atomic<Int>(0)
  private let payload = Payload()

  func note() { count.add(payload.value / 7, ordering: .relaxed) }
  var number: Int { count.load(ordering: .relaxed) }
}

extension OperationLayer {
  /// `main()` is public, so anybody may call it at any moment: the first call has the body.
  @Suite(.contract(10)) struct MainCallTests {
    private struct Round: Sendable {
      let operation: Operation
      let runs: Runs
      let candidate: Candidate
    }

    /// Each class in its turn.
    private func round(_ number: Int) -> Round {
      let candidate = Candidate.each[number % Candidate.each.count]
      let runs = Runs()
      return Round(operation: candidate.make(runs), runs: runs, candidate: candidate)
    }

    /// Every call has returned, and what outlives them has ended.
    private func isRunOnce(_ round: Round, _ number: Int) -> Bool {
      let expected = round.candidate.runs
      let isEnough = waitUntil(deadline: patience) { round.runs.number >= expected }
      round.operation.main()
      let isRight = isEnough && round.runs.number == expected
      #expect(
        isRight,
        "\(round.candidate.name) ran \(round.runs.number) times, round \(number), seed \(stressSeed)"
      )
      return isRight
    }

    @Test func twoThreadsCallIt() {
      Duel.fight(
        rounds: 30_000 * stressFactor / slowness, prepare: round,
        left: { $0.operation.main() }, right: { $0.operation.main() },
        check: { isRunOnce($0, $1) })
    }

    @Test(arguments: Kind.each) func theQueueAndAThreadCallIt(_ kind: Kind) {
      let queue = kind.queue()
      _ = warnings {
        Duel.fight(
          rounds: 12_000 * stressFactor / slowness, prepare: round,
          left: { queue.addOperation($0.operation) }, right: { $0.operation.main() },
          check: { round, number in
            let isFinished = round.operation.wait(timeout: patience)
            #expect(
              isFinished, "\(round.candidate.name) hangs, round \(number), seed \(stressSeed)")
            return isFinished && isRunOnce(round, number)
          })
      }
      queue.expectQuiet()
    }

    /// It runs nothing, and the operation finishes all the same.
    @Test(arguments: Kind.each) func aStartAfterItFindsTheBodyGone(_ kind: Kind) {
      let queue = kind.queue()
      _ = warnings {
        for number in 0..<2 * Candidate.each.count {
          let round = round(number)
          let isByHand = number < Candidate.each.count
          round.operation.main()
          let hasRun = waitUntil { round.runs.number == round.candidate.runs }
          #expect(hasRun, "\(round.candidate.name)")
          if isByHand { round.operation.start() } else { queue.addOperation(round.operation) }
          #expect(round.operation.wait(timeout: patience), "\(round.candidate.name) hangs")
          #expect(isRunOnce(round, number))
        }
      }
      queue.expectQuiet()
    }

    /// Cancelled before its start, an operation made of others ends when those have that somebody
    /// has started by `main()`.
    @Test(.contract(43, 70), arguments: Kind.each)
    func aCancelledStartWaitsForWhatMainHasStarted(_ kind: Kind) throws {
      let queue = kind.queue()
      for make in Self.madeOfOthers {
        let (begun, gate) = (Gate(), Gate())
        let operation = make {
          begun.open()
          gate.wait()
        }
        let thread = try SystemThread.start(name: "caller") { operation.main() }
        #expect(begun.wait())
        operation.cancel()
        queue.addOperation(operation)
        #expect(!operation.wait(timeout: .milliseconds(50)), "\(operation)")
        gate.open()
        thread.join()
        #expect(operation.wait(timeout: patience), "\(operation)")
        // By hand it is the same.
        let (started, last) = (Gate(), Gate())
        let second = make {
          started.open()
          last.wait()
        }
        let caller = try SystemThread.start(name: "caller") { second.main() }
        #expect(started.wait())
        second.cancelAndFinish()
        #expect(!second.isFinished, "\(second)")
        last.open()
        caller.join()
        #expect(second.wait(timeout: patience), "\(second)")
      }
      queue.expectQuiet()
    }

    /// Operations made of others, one of which runs the closure.
    private static let madeOfOthers: [@Sendable (@escaping @Sendable () -> Void) -> Operation] = [
      { GroupOperation([BlockOperation(block: $0)]) },
      { TimeoutOperation(BlockOperation(block: $0), within: .seconds(3_600)) },
      { body in RetryOperation(RetryPolicy(attempts: 3)) { _ in ResultOperation(body) } },
      { body in (try? OperationGraph { $0.add(body) })?.operation() ?? Operation() },
    ]

    /// Between two attempts there is nothing to wait for.
    @Test(.contract(43), arguments: Kind.each)
    func aCancelledStartEndsTheWaitForTheNextAttempt(_ kind: Kind) {
      let queue = kind.queue()
      let policy = RetryPolicy(
        attempts: 3, delay: .seconds(3_600), largestDelay: .seconds(3_600))
      let operation = RetryOperation(policy) { _ in ResultOperation { throw BodyError() } }
      operation.main()
      operation.cancel()
      queue.addOperation(operation)
      #expect(operation.wait(timeout: patience))
      #expect(thrown(operation.value) is BodyError && operation.attemptCount == 1)
      queue.expectQuiet()
    }

    /// A result that somebody else computes counts if it is there before the operation ends, and
    /// changes nothing later.
    @Test(.contract(80), arguments: Kind.each) func resultOfABodyThatSomebodyElseRuns(_ kind: Kind)
      throws
    {
      let queue = kind.queue()
      let early = ResultOperation { 7 }
      early.main()
      #expect(early.result == nil)
      queue.addOperations([early], waitUntilFinished: true)
      #expect(try early.value() == 7)
      let (begun, gate) = (Gate(), Gate())
      let late = ResultOperation {
        begun.open()
        gate.wait()
        return 7
      }
      let thread = try SystemThread.start(name: "caller") { late.main() }
      begun.wait()
      queue.addOperations([late], waitUntilFinished: true)
      func isRefused() -> Bool {
        do { _ = try late.value() } catch OperationError.alreadyExecuting { return true } catch {}
        return false
      }
      #expect(isRefused())
      gate.open()
      thread.join()
      #expect(isRefused())
    }

    /// The classical subclass: `start()` calls `main()` on another thread, which runs no operation
    /// of the queue.
    @Test(.contract(63, 72), arguments: Kind.each)
    func startCallsItOnAnotherThread(_ kind: Kind) {
      let queue = kind.queue()
      for _ in 0..<100 {
        let runs = Runs()
        let operation = DetachingOperation {
          await Task.yield()
          runs.note()
        }
        queue.addOperation(operation)
        #expect(operation.wait(timeout: patience))
        #expect(runs.number == 1)
      }
      queue.expectQuiet()
    }

    /// Whoever called `main()`: the task belongs to the operation.
    @Test(.contract(72), arguments: [true, false])
    func itsTaskHearsOfACancellation(hasResult: Bool) {
      let (hasBegun, wasCancelled) = (Gate(), Gate())
      let body: @Sendable () async -> Void = {
        hasBegun.open()
        do { try await Task.sleep(for: patience) } catch { wasCancelled.open() }
      }
      let operation = hasResult ? ResultOperation { await body() } : AsyncOperation { await body() }
      operation.main()
      hasBegun.wait()
      operation.cancelAndFinish()
      #expect(wasCancelled.wait())
    }
  }
}
