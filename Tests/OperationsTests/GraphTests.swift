// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing
import WorkStealingBackend

extension OperationLayer {
  @Suite struct GraphTests {
    @Test(.contract(140), arguments: Kind.all) func runsEveryNodeOnceAfterItsPredecessors(
      _ kind: Kind
    ) throws {
      let scheduler = kind.make(kind.workers)
      for seed in stressSeed..<stressSeed + UInt64(40 * stressFactor / (slowness > 10 ? 8 : 1)) {
        let sample = try RandomRuns(seed: seed)
        for run in 1...20 {
          sample.graph.runAndWait(on: scheduler)
          #expect(sample.faults(after: run) == [], "seed \(seed), run \(run)")
        }
      }
    }

    @Test(.contract(142), arguments: Kind.all) func cancelSkipsWhatHasNotStartedAndTheRunFinishes(
      _ kind: Kind
    )
      throws
    {
      let scheduler = kind.make(kind.workers)
      let runs = Atomic<Int>(0)
      let graph = try OperationGraph { builder in
        var last = builder.add { GraphRun.current?.cancel() }
        for _ in 0..<500 {
          last = builder.add(after: [last]) { runs.add(1, ordering: .relaxed) }
        }
      }
      for _ in 0..<20 {
        let run = graph.run(on: scheduler)
        run.wait()
        #expect(run.isFinished && run.isCancelled)
      }
      #expect(runs.load(ordering: .relaxed) == 0)
    }

    @Test(.contract(142), arguments: Kind.pools) func cancellingAtAnyTimeEndsTheRun(_ kind: Kind)
      throws
    {
      let scheduler = kind.make(kind.workers)
      var random = SeededGenerator(seed: stressSeed)
      let sample = try RandomRuns(seed: stressSeed, nodes: 300)
      for _ in 0..<(400 * stressFactor / slowness) {
        let run = sample.graph.run(on: scheduler)
        for _ in 0..<random.index(below: 2000) { spinPause() }
        run.cancel()
        #expect(run.wait(timeout: patience))
        if !run.isCancelled { #expect(sample.orderFaults() == []) }
        sample.forget()
      }
      sample.graph.runAndWait(on: scheduler)
      #expect(sample.faults(after: 1) == [])
    }

    @Test func cancellingAnOldRunLeavesTheNextAlone() throws {
      let graph = try OperationGraph { $0.add {} }
      let scheduler = InlineScheduler()
      let old = graph.run(on: scheduler)
      old.cancel()
      #expect(old.isFinished && !old.isCancelled)
      let run = graph.run(on: scheduler)
      old.cancel()
      #expect(!run.isCancelled)
    }

    @Test(.contract(143), arguments: Kind.pools) func secondRunIsRefusedWhileOneIsUnderWay(
      _ kind: Kind
    ) throws {
      let gate = Turnstile()
      let graph = try OperationGraph { $0.add { gate.wait() } }
      let scheduler = kind.make(kind.workers)
      let run = graph.run(on: scheduler)
      #expect(graph.isRunning)
      #expect { try graph.tryRun(on: scheduler) } throws: { error in
        "\(error)".contains("is running and runs once at a time; wait for the run under way")
      }
      gate.signal()
      run.wait()
      #expect(!graph.isRunning)
      gate.signal()
      graph.runAndWait(on: scheduler)
    }

    @Test(.contract(144)) func namesTheNodesOfACycle() throws {
      #expect {
        _ = try OperationGraph(name: "build") { builder in
          let root = builder.add {}
          let compile = builder.add(name: "compile", after: [root]) {}
          let link = builder.add(name: "link", after: [compile]) {}
          builder.addEdge(from: link, to: compile)
        }
      } throws: { error in
        guard case OperationError.graphCycle("build", let path) = error else { return false }
        return path.count == 3 && path.first == path.last && Set(path.map(\.index)) == [1, 2]
          && "\(error)".contains("node 2 \"link\"")
      }
      #expect {
        _ = try OperationGraph { builder in
          let node = builder.add {}
          builder.addEdge(from: node, to: node)
        }
      } throws: { error in
        "\(error)".contains("wait for each other and would never start")
      }
    }

    @Test(.contract(144)) func refusesNodesOfAnotherGraph() throws {
      var stranger: OperationGraph.Node?
      _ = try OperationGraph { stranger = $0.add {} }
      let foreign = try #require(stranger)
      #expect {
        _ = try OperationGraph(name: "own") { $0.add(after: [foreign]) {} }
      } throws: { error in
        if case OperationError.nodeOfAnotherGraph("own", let node) = error {
          return node.index == 0
        }
        return false
      }
    }

    @Test(arguments: Kind.each) func emptyGraphFinishesAtOnce(_ kind: Kind) throws {
      let graph = try OperationGraph { _ in }
      let run = graph.run(on: kind.make(kind.workers))
      #expect(run.isFinished && !run.isCancelled && graph.count == 0)
    }

    @Test(.contract(141), arguments: [Kind.inline] + Kind.single.filter(\.isExact))
    func readyNodesStartInOrderOfPriority(_ kind: Kind) throws {
      let order = Locked<[Int]>([])
      let graph = try OperationGraph { builder in
        let root = builder.add {}
        let levels: [Operation.QueuePriority] = [.low, .normal, .veryHigh, .normal, .high]
        for (number, level) in levels.enumerated() {
          builder.add(priority: level, after: [root]) { order.withLock { $0.append(number) } }
        }
      }
      graph.runAndWait(on: kind.make(1))
      #expect(order.withLock { $0 } == [2, 4, 1, 3, 0])
    }

    @Test(.contract(143), arguments: Kind.all) func runEndsBeforeItsHandlersAndTheyMayRunItAgain(
      _ kind: Kind
    )
      async throws
    {
      let scheduler = kind.make(kind.workers)
      let runs = Atomic<Int>(0)
      let graph = try OperationGraph { builder in
        for _ in 0..<10 { builder.add { runs.add(1, ordering: .relaxed) } }
      }
      let last = await withCheckedContinuation {
        (continuation: CheckedContinuation<GraphRun, Never>) in
        @Sendable func again(_ left: Int) {
          graph.run(on: scheduler).onFinish { run in
            if left > 1 { again(left - 1) } else { continuation.resume(returning: run) }
          }
        }
        again(50)
      }
      #expect(last.isFinished)
      #expect(runs.load(ordering: .relaxed) == 500)
      let run = graph.run(on: scheduler)
      await run.finished()
      #expect(runs.load(ordering: .relaxed) == 510)
    }

    @Test func closuresLiveAsLongAsTheGraph() throws {
      let lifetimes = LifetimeCounter()
      let scheduler = WorkStealingScheduler(workers: 2)
      let gate = Turnstile()
      var run: GraphRun?
      do {
        let graph = try OperationGraph { builder in
          let first = builder.add { gate.wait() }
          for _ in 0..<100 {
            let token = lifetimes.token()
            builder.add(after: [first]) { withExtendedLifetime(token) {} }
          }
        }
        run = graph.run(on: scheduler)
      }
      #expect(lifetimes.live == 100)
      gate.signal()
      run?.wait()
      run = nil
      #expect(waitUntil { lifetimes.live == 0 })
    }
  }
}

/// A seeded random graph whose nodes note in plain memory when they ran; ThreadSanitizer sees a
/// missing edge.
@safe final class RandomRuns: Sendable {
  let graph: OperationGraph
  private let edges: [(from: Int, to: Int)]
  private nonisolated(unsafe) let counts: UnsafeMutablePointer<Int>
  private nonisolated(unsafe) let disorder: UnsafeMutablePointer<Int>
  private let count: Int

  init(seed: UInt64, nodes wanted: Int? = nil) throws(OperationError) {
    var random = SeededGenerator(seed: seed)
    let count = wanted ?? 1 + random.index(below: 120)
    var predecessors: [[Int]] = []
    for node in 0..<count {
      let degree = node == 0 ? 0 : random.index(below: [1, 2, 3, 8][random.index(below: 4)] + 1)
      predecessors.append((0..<degree).map { _ in random.index(below: node) })
    }
    let levels = (0..<count).map { _ in
      random.index(below: 3) == 0
        ? Operation.QueuePriority.allCases[random.index(below: 5)] : .normal
    }
    let counts = UnsafeMutablePointer<Int>.allocate(capacity: count)
    let disorder = UnsafeMutablePointer<Int>.allocate(capacity: count)
    unsafe counts.initialize(repeating: 0, count: count)
    unsafe disorder.initialize(repeating: 0, count: count)
    // Added in an order of their own, so that edges lead both ways through the arena.
    let order = Array(0..<count).shuffled(using: &random)
    let words = (counts: UInt(bitPattern: counts), disorder: UInt(bitPattern: disorder))
    graph = try OperationGraph { builder in
      var nodes: [Int: OperationGraph.Node] = [:]
      for number in order {
        let waited = predecessors[number]
        nodes[number] = builder.add(priority: levels[number]) {
          unsafe RandomRuns.note(number, after: waited, words.counts, words.disorder)
        }
      }
      for number in order {
        for other in predecessors[number] {
          if let from = nodes[other], let to = nodes[number] { builder.addEdge(from: from, to: to) }
        }
      }
    }
    edges = predecessors.enumerated().flatMap { number, waited in
      waited.map { (from: $0, to: number) }
    }
    self.count = count
    unsafe self.counts = counts
    unsafe self.disorder = disorder
  }

  deinit {
    unsafe counts.deallocate()
    unsafe disorder.deallocate()
  }

  @unsafe private static func note(
    _ number: Int, after waited: [Int], _ counts: UInt, _ disorder: UInt
  ) {
    guard let counts = unsafe UnsafeMutablePointer<Int>(bitPattern: counts),
      let disorder = unsafe UnsafeMutablePointer<Int>(bitPattern: disorder)
    else { return }
    unsafe counts[number] += 1
    for other in waited where unsafe counts[other] != counts[number] {
      unsafe disorder[number] += 1
    }
  }

  /// Nodes that did not run exactly once per run, or before a predecessor.
  func faults(after runs: Int) -> [String] {
    let wrong = (0..<count).filter { unsafe counts[$0] != runs }
    return wrong.map { "node \($0) ran \(unsafe counts[$0]) times" } + orderFaults()
  }

  func orderFaults() -> [String] {
    (0..<count).filter { unsafe disorder[$0] != 0 }.map { "node \($0) ran before a predecessor" }
  }

  /// As before the first run.
  func forget() {
    unsafe counts.update(repeating: 0, count: count)
    unsafe disorder.update(repeating: 0, count: count)
  }
}
