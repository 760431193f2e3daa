// SPDX-License-Identifier: Apache-2.0

import Operations
import Scheduling
import Synchronization
import TestSupport
import Testing
import Traces
import WorkStealingBackend

@testable import Profiling

extension RecordingTests {
  /// What a recording has of graphs that are built once, and of forks.
  @Suite struct GraphHookTests {
    /// A first node, `width` in the middle, a last one.
    private func diamond(_ width: Int) throws -> OperationGraph {
      try OperationGraph { builder in
        let first = builder.add {}
        let last = builder.add {}
        for _ in 0..<width {
          let middle = builder.add {}
          builder.addEdge(from: first, to: middle)
          builder.addEdge(from: middle, to: last)
        }
      }
    }

    @Test(arguments: Kind.allCases, [1, 2, 5])
    func everyRunOfANodeIsAnOperationWithItsEdges(_ kind: Kind, _ width: Int) throws {
      let runs = 3
      let scheduler = kind.make(workers: 2)
      defer { scheduler.shutDown() }
      let graph = try diamond(width)
      graph.runAndWait(on: scheduler)
      let recorder = try Recorder.begin()
      for _ in 0..<runs { graph.runAndWait(on: scheduler) }
      let trace = recorder.end()
      let nodes = width + 2
      #expect(trace.operations.count == runs * nodes)
      #expect(trace.edges.count == runs * 2 * width)
      for (index, operation) in trace.operations.enumerated() {
        #expect(trace.names[Int(operation.kind)] == "graph node")
        #expect(operation.times.count == 5)
        #expect(operation.hasOrderedTimes(within: trace.header.clockSkewNanoseconds))
        #expect(operation.outcome == .finished && !operation.isSkipped)
        let isFirst = index % nodes == 0
        #expect((operation.releasedBy == -1) == isFirst)
      }
      // An edge stays within its run.
      for edge in trace.edges {
        #expect(Int(edge.predecessor) / nodes == Int(edge.successor) / nodes)
      }
    }

    @Test(arguments: Kind.allCases)
    func aRecordingOfLatencyHasNodesToo(_ kind: Kind) throws {
      let scheduler = kind.make(workers: 2)
      defer { scheduler.shutDown() }
      let graph = try diamond(4)
      let recorder = try Recorder.begin(RecordingOptions(detail: .latency))
      graph.runAndWait(on: scheduler)
      graph.runAndWait(on: scheduler)
      let trace = recorder.end()
      #expect(trace.operations.count == 12)
      #expect(trace.edges.isEmpty)
      for operation in trace.operations {
        #expect(operation.ready != nil && operation.started != nil && operation.finished != nil)
      }
    }

    @Test func nodesOfACancelledRunAreSkipped() throws {
      let scheduler = InlineScheduler()
      let graph = try OperationGraph { builder in
        let first = builder.add { GraphRun.current?.cancel() }
        let last = builder.add {}
        builder.addEdge(from: first, to: last)
      }
      let recorder = try Recorder.begin()
      graph.runAndWait(on: scheduler)
      let trace = recorder.end()
      #expect(trace.operations.map(\.isSkipped) == [false, true])
      #expect(trace.operations.map(\.outcome) == [.finished, .cancelled])
    }

    @Test func aHalfThatIsTakenIsAnOperationOfTheOneThatForked() throws {
      let hasStarted = Atomic<Bool>(false)
      let trace = try recording(on: .workStealing) { queue, _ in
        let operation = BlockOperation {
          // The first half ends when another worker has begun the second one.
          _ = forkJoin(
            {
              _ = waitUntil(deadline: .seconds(60)) { hasStarted.load(ordering: .acquiring) }
            },
            { hasStarted.store(true, ordering: .releasing) })
        }
        operation.name = "forking"
        queue.addOperation(operation)
      }
      let halves = trace.operations.filter { trace.names[Int($0.kind)] == "fork half" }
      let half = try #require(halves.count == 1 ? halves.first : nil)
      let forking = try trace.index("forking")
      #expect(half.parent == Int32(forking))
      #expect(half.source == .steal)
      #expect(half.thread != trace.operations[forking].thread)
      let (began, ended) = (try #require(half.started), try #require(half.finished))
      #expect(began <= ended)
      #expect(ended <= (trace.operations[forking].finished ?? 0))
    }
  }
}
