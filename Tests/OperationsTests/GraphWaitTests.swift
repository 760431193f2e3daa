// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  /// Waits between graphs, nodes, operations and queues that share one scheduler, also one with a
  /// single worker.
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

    /// The nodes are injected behind the operation that waits for them, and no thread can be
    /// started in its place.
    @Test(.contract(145)) func theOnlyWorkerFindsNodesThatCameFromOutside() throws {
      var configuration = WorkStealingConfiguration()
      configuration.compensationLimit = 0
      let scheduler = WorkStealingScheduler(workers: 1, configuration: configuration)
      let queue = OperationQueue(scheduler: scheduler)
      let runs = RunCounter()
      let graph = try wide(runs)
      let gate = Turnstile()
      let run = Locked<GraphRun?>(nil)
      queue.addOperation { gate.wait() }
      for _ in 0..<100 { queue.addOperation { run.withLock { $0 }?.wait() } }
      let started = graph.run(on: scheduler)
      run.withLock { $0 = started }
      gate.signal()
      #expect(started.wait(timeout: patience))
      queue.expectQuiet()
      #expect(runs.total == 50)
    }

    /// Where a run of a graph is started and waited for, and how.
    enum Place: CaseIterable { case node, operation, nodeInTwoSteps }

    /// More waits than the scheduler has threads for, each for a run of its own.
    @Test(.contract(145), arguments: Kind.all, Place.allCases)
    func anyNumberOfNodesWaitForRunsOfTheirOwn(_ kind: Kind, _ place: Place) throws {
      let queue = kind.queue()
      let scheduler = queue.scheduler
      let runs = RunCounter()
      // In two steps as many as are compensated for, or all on the inline scheduler.
      let count =
        place != .nodeInTwoSteps || kind.isInline ? 2000 / min(slowness, 2) : 60
      let inner = try (0..<count).map { number in try wide(runs, nodes: 1 + number % 3) }
      switch place {
      case .node:
        let outer = try OperationGraph { builder in
          for graph in inner { builder.add { graph.runAndWait(on: scheduler) } }
        }
        #expect(outer.run(on: scheduler).wait(timeout: patience))
      case .nodeInTwoSteps:
        let outer = try OperationGraph { builder in
          for graph in inner { builder.add { graph.run(on: scheduler).wait() } }
        }
        #expect(outer.run(on: scheduler).wait(timeout: patience))
      case .operation:
        for graph in inner { queue.addOperation { graph.runAndWait(on: scheduler) } }
        queue.expectQuiet()
      }
      #expect(runs.total == (0..<count).reduce(0) { $0 + 1 + $1 % 3 })
    }

    /// Runs inside runs, each of which waits for several more.
    @Test(.contract(145), arguments: Kind.all) func runsNestWithFewThreads(_ kind: Kind) throws {
      let scheduler = kind.make(kind.workers)
      let runs = RunCounter()
      @Sendable func descend(_ level: Int) {
        runs.value.add(1, ordering: .relaxed)
        guard level > 0 else { return }
        do throws(OperationError) {
          let graph = try OperationGraph { builder in
            let root = builder.add {}
            for _ in 0..<4 { builder.add(after: [root]) { descend(level - 1) } }
          }
          graph.runAndWait(on: scheduler)
        } catch { Issue.record("\(error)") }
      }
      let outer = try OperationGraph { $0.add { descend(5) } }
      #expect(outer.run(on: scheduler).wait(timeout: patience))
      #expect(runs.total == 1365)
    }

    @Test(.contract(101, 145), arguments: Kind.all)
    func anyNumberOfNodesWaitForOperationsOfTheirOwn(_ kind: Kind) throws {
      let queue = kind.queue()
      let runs = RunCounter()
      let count = 2000 / min(slowness, 2)
      let graph = try OperationGraph { builder in
        for _ in 0..<count {
          builder.add {
            let operation = BlockOperation { runs.value.add(1, ordering: .relaxed) }
            queue.addOperation(operation)
            operation.waitUntilFinished()
          }
        }
      }
      #expect(graph.run(on: queue.scheduler).wait(timeout: patience))
      #expect(runs.total == count)
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

    /// A node on a scheduler that helps while it waits sees what the operations of another
    /// scheduler wrote.
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

    /// What a wait may do that can neither help, being too deep, nor sleep, because its thread is
    /// the only one.
    @Test(.contract(101, 145), arguments: ["run", "operation in a node", "limited operation"])
    func waitsThatNestTooDeepOnTheInlineSchedulerStopTheProcess(_ awaited: String) async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { [awaited] in
        let scheduler = InlineScheduler()
        let queue = OperationQueue(scheduler: scheduler)
        if awaited == "limited operation" { queue.maxConcurrentOperationCount = 1000 }
        @Sendable func node(_ body: @escaping @Sendable () -> Void) {
          do throws(OperationError) {
            try OperationGraph(name: "deep") { $0.add(body) }.runAndWait(on: scheduler)
          } catch { Issue.record("\(error)") }
        }
        @Sendable func wait(_ body: @escaping @Sendable () -> Void) {
          let operation = BlockOperation(block: body)
          operation.name = "deep"
          queue.addOperation(operation)
          operation.waitUntilFinished()
        }
        @Sendable func descend(_ level: Int) {
          guard level > 0 else { return }
          switch awaited {
          case "run": node { descend(level - 1) }
          case "operation in a node": node { wait { descend(level - 1) } }
          default: wait { descend(level - 1) }
          }
        }
        try SystemThread.start(name: "small", stackSize: 512 << 10) {
          queue.addOperation { descend(10_000) }
        }.join()
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("\"deep\"") && text.contains("one inside the other"))
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
