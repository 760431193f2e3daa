// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  /// Waits between graphs, nodes, operations and queues that share one scheduler, also one with a single worker.
  @Suite struct GraphWaitTests {
    private func wide(_ runs: RunCounter, nodes: Int = 50) throws(OperationError) -> OperationGraph
    {
      try OperationGraph { builder in
        let root = builder.add { runs.value.add(1, ordering: .relaxed) }
        for _ in 1..<nodes {
          builder.add(after: [root]) { runs.value.add(1, ordering: .relaxed) }
        }
      }
    }

    @Test(.contract(145), arguments: Kind.all) func nodeWaitsForARunOfAnotherGraph(_ kind: Kind)
      throws
    {
      let scheduler = kind.make(kind.workers)
      let runs = RunCounter()
      let inner = try wide(runs)
      let outer = try OperationGraph { builder in
        var last = builder.add {}
        for _ in 0..<5 {
          last = builder.add(after: [last]) {
            let run = inner.run(on: scheduler)
            #expect(run.wait(timeout: patience))
            run.wait()
          }
        }
      }
      #expect(outer.run(on: scheduler).wait(timeout: patience))
      #expect(runs.total == 250)
    }

    @Test(.contract(145), arguments: Kind.all) func operationWaitsForARun(_ kind: Kind) throws {
      let runs = RunCounter()
      let graph = try wide(runs)
      let queue = kind.queue()
      for policy in [BlockingPolicy.automatic, .help, .compensate] {
        queue.blockingPolicy = policy
        queue.addOperation { graph.runAndWait(on: queue.scheduler) }
        queue.expectQuiet("\(policy)")
      }
      #expect(runs.total == 150)
    }

    @Test(.contract(145), arguments: Kind.all) func nodeWaitsForOperationsAndQueues(_ kind: Kind)
      throws
    {
      let queue = kind.queue()
      let runs = RunCounter()
      let graph = try OperationGraph { builder in
        builder.add {
          #expect(OperationQueue.current == nil || kind.isInline)
          let operation = BlockOperation { runs.value.add(1, ordering: .relaxed) }
          queue.addOperation(operation)
          operation.waitUntilFinished()
          for _ in 0..<20 { queue.addOperation { runs.value.add(1, ordering: .relaxed) } }
          queue.waitUntilAllOperationsAreFinished()
          #expect(runs.total == 21)
          OperationQueue.blocking {}
        }
      }
      #expect(graph.run(on: queue.scheduler).wait(timeout: patience))
      #expect(runs.total == 21)
    }

    /// A node on a scheduler that helps while it waits sees what the operations of another scheduler wrote.
    @Test(.contract(103, 145), arguments: Kind.pools)
    func nodeThatHelpsSeesWhatTheQueueWrote(_ kind: Kind) throws {
      let queue = kind.queue()
      for _ in 0..<(200 / min(slowness, 4)) {
        let cell = PlainBox(0)
        let graph = try OperationGraph { builder in
          builder.add {
            queue.addOperation { unsafe cell.value = 1 }
            queue.waitUntilAllOperationsAreFinished()
            #expect(unsafe cell.value == 1)
          }
          for _ in 0..<50 { builder.add { for _ in 0..<20 { spinPause() } } }
        }
        graph.runAndWait(on: InlineScheduler())
      }
    }

    @Test(.contract(146), arguments: Kind.all) func operationOfAGraphTakesPartInDependencies(
      _ kind: Kind
    ) throws {
      let runs = RunCounter()
      let graph = try wide(runs)
      let queue = kind.queue()
      for round in 1...20 {
        let (before, during, after) = (
          BlockOperation {}, graph.operation(),
          BlockOperation {
            #expect(runs.total == 50 * round)
          }
        )
        during.addDependency(before)
        after.addDependency(during)
        queue.addOperations([after, during, before], waitUntilFinished: false)
        queue.expectQuiet()
        #expect(during.isFinished && !during.isCancelled)
      }
      let alone = graph.operation()
      alone.start()
      #expect(alone.isFinished && runs.total == 50 * 21)
    }

    @Test(.contract(146), arguments: Kind.all) func cancellingTheOperationCancelsTheRun(
      _ kind: Kind
    ) throws {
      let runs = RunCounter()
      let started = Turnstile()
      let gate = Turnstile()
      let graph = try OperationGraph { builder in
        let first = builder.add {
          started.signal()
          gate.wait()
        }
        builder.add(after: [first]) { runs.value.add(1, ordering: .relaxed) }
      }
      let queue = kind.queue()
      let operation = graph.operation()
      if kind.isInline {
        operation.cancel()
        queue.addOperation(operation)
      } else {
        queue.addOperation(operation)
        started.wait()
        operation.cancel()
        gate.signal()
      }
      queue.expectQuiet()
      #expect(operation.isFinished && operation.isCancelled && runs.total == 0 && !graph.isRunning)
    }

    @Test func nodeThatWaitsForItsOwnRunStopsTheProcess() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() throws {
          let graph = try OperationGraph(name: "snake") { $0.add { GraphRun.current?.wait() } }
          graph.runAndWait(on: WorkStealingScheduler(workers: 2))
        }
        try misuse()
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(
        text.contains("wait() on a run of graph \"snake\" (1 nodes) from inside one of its nodes"))
    }

    @Test func secondRunStopsTheProcess() async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        func misuse() throws {
          let graph = try OperationGraph(name: "twice") {
            $0.add { GraphRun.current?.graph.run(on: InlineScheduler()) }
          }
          graph.runAndWait(on: InlineScheduler())
        }
        try misuse()
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("run(on:): graph \"twice\" (1 nodes) is running"))
      #expect(text.contains("or build a second graph"))
    }
  }
}

/// A number that closures of any thread count up.
private final class RunCounter: Sendable {
  let value = Atomic<Int>(0)
  var total: Int { value.load(ordering: .acquiring) }
}
