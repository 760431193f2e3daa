// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Glibc
import Operations
import OperationsDiagnosis
import Scheduling
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  /// A join that sleeps is a wait as any other: it keeps a thread, and reports see it.
  @Suite struct ForkWaitTests {
    private static func scheduler(limit: Int) -> WorkStealingScheduler {
      var configuration = WorkStealingConfiguration()
      configuration.compensationLimit = limit
      return WorkStealingScheduler(workers: 2, configuration: configuration)
    }

    /// Adds an operation, forked, whose taken half waits for `awaited`, and whose owner lets that
    /// become ready when the half sleeps, just before it sleeps itself: nobody but another thread
    /// can run it.
    @discardableResult
    private static func forkAndWait(
      for awaited: Operation, after gate: Operation, in queue: OperationQueue
    ) -> Operation {
      let isTaken = Turnstile()
      let forking = TestOperation { forking in
        _ = forkJoin(
          {
            isTaken.wait()
            _ = waitUntil(deadline: patience) {
              queue.stallReport()[forking]?.reasons == [.blockedOn(awaited)]
            }
            gate.start()
          },
          {
            isTaken.signal()
            awaited.waitUntilFinished()
          })
      }
      awaited.addDependency(gate)
      queue.addOperation(awaited)
      queue.addOperation(forking)
      return forking
    }

    @Test(.contract(101, 148)) func theLastThreadThatJoinsIsReplaced() {
      for _ in 0..<20 {
        let queue = OperationQueue(scheduler: Self.scheduler(limit: 0))
        // Else the half would run it itself.
        queue.blockingPolicy = .compensate
        let awaited = TestOperation()
        Self.forkAndWait(for: awaited, after: Operation(), in: queue)
        queue.expectQuiet()
        #expect(awaited.runCount == 1)
      }
    }

    /// Hundreds of forks, half of which another worker takes, wait for what becomes ready when all
    /// threads are blocked.
    @Test(.contract(101, 148), arguments: Kind.pools)
    func forksThatWaitBeyondTheLimitEnd(_ kind: Kind) {
      let queue =
        kind.name == "work-stealing"
        ? OperationQueue(scheduler: Self.scheduler(limit: 4)) : kind.queue()
      let gate = Operation()
      let awaited = (0..<200).map { _ in
        let operation = TestOperation()
        operation.addDependency(gate)
        return operation
      }
      for operation in awaited {
        queue.addOperation {
          let isTaken = Atomic(false)
          _ = forkJoin(
            {
              for _ in 0..<1_000 where !isTaken.load(ordering: .relaxed) { spinPause() }
            },
            {
              isTaken.store(true, ordering: .relaxed)
              operation.waitUntilFinished()
            })
        }
      }
      queue.addOperations(awaited, waitUntilFinished: false)
      queue.addOperation(gate)
      queue.expectQuiet()
      #expect(awaited.allSatisfy { $0.runCount == 1 })
    }

    @Test(.contract(117)) func theReportNamesAJoinThatSleeps() {
      let queue = OperationQueue(scheduler: WorkStealingScheduler(workers: 2))
      let (isTaken, gate) = (Turnstile(), Turnstile())
      let forking = TestOperation { _ in
        _ = forkJoin(
          { isTaken.wait() },
          {
            isTaken.signal()
            gate.wait()
          })
      }
      queue.addOperation(forking)
      #expect(
        waitUntil(deadline: patience) {
          queue.stallReport()[forking]?.reasons == [.blockedOnFork]
        })
      #expect(queue.stallReport().description.contains("the half of a fork"))
      gate.signal()
      queue.expectQuiet()
    }

    /// A half that a thief has taken along with another job, in which it sleeps, and no thread to
    /// steal it from there: the owner takes it back.
    @Test(.contract(101, 148)) func aHalfThatASleepingThiefKeepsIsTakenBack() async {
      await #expect(processExitsWith: .success) {
        func program() -> Bool {
          let queue = OperationQueue(scheduler: WithoutSpares(workers: 2, stealBatch: 4))
          let (isOffered, isStolen) = (Turnstile(), Turnstile())
          let ran = Atomic<Int>(0)
          let last = TestOperation()
          let keeping = TestOperation { _ in
            isStolen.signal()
            last.waitUntilFinished()
          }
          let forking = TestOperation { _ in
            queue.addOperation(keeping)
            _ = forkJoin(
              {
                // The thief takes no more than half of what is there.
                for _ in 0..<8 { queue.addOperation {} }
                isOffered.signal()
                isStolen.wait()
              }, { ran.add(1, ordering: .relaxed) })
          }
          last.addDependency(forking)
          // Keeps the other worker until all that it is to steal is there.
          let isBusy = Turnstile()
          queue.addOperation {
            isBusy.signal()
            isOffered.wait()
          }
          isBusy.wait()
          queue.addOperation(forking)
          queue.addOperation(last)
          return queue.wait(timeout: patience) && ran.load(ordering: .relaxed) == 1
        }
        exit(program() ? 0 : 1)
      }
    }

    /// The join waits for the half, and the half for what nobody can run.
    @Test(.contract(101)) func aJoinThatNothingCanEndStopsTheProcess() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() {
          let queue = OperationQueue(scheduler: Uncompensated(workers: 2))
          queue.blockingPolicy = .compensate
          let awaited = TestOperation()
          awaited.name = "awaited"
          Self.forkAndWait(for: awaited, after: Operation(), in: queue)
          _ = queue.wait(timeout: patience)
        }
        misuse()
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("no thread is left"), "\(text)")
    }
  }
}
