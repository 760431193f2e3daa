// SPDX-License-Identifier: Apache-2.0

import Operations

extension CostCase {
  /// Graphs that are built once and run again and again.
  static let ofGraphs: [CostCase] = [
    .whole("OperationGraph", of: "nodes in a chain") { stage, items in
      let graph = chain(items)
      return Pile(end: { for _ in 0..<2 { graph.runAndWait(on: stage.scheduler) } })
    },
    .whole("addEdge", of: "edges out of one node") { stage, items in
      let graph = graph { builder in
        let first = builder.add {}
        for _ in 0..<items { builder.addEdge(from: first, to: builder.add {}) }
      }
      return Pile(end: { graph.runAndWait(on: stage.scheduler) })
    },
    .whole("cancel-graph", of: "nodes in a chain") { stage, items in
      let graph = chain(items)
      return Pile(end: {
        let run = graph.run(on: stage.scheduler)
        run.cancel()
        run.wait()
        precondition(run.isFinished && !graph.isRunning)
      })
    },
    // Nothing may be left of an earlier run. The worker starts them and runs the nodes itself: how
    // long it looks for work before another thread has started the next run differs.
    .whole("run-graph", of: "runs of one graph", mostBytes: 1) { stage, items in
      let graph = chain(2)
      let body = BlockOperation {
        for _ in 0..<items {
          do {
            let run = try graph.tryRun(on: stage.scheduler)
            run.wait()
            precondition(run.wait(timeout: .zero) && !run.isCancelled)
          } catch { fatalError("\(error)") }
        }
      }
      stage.queue().addOperations([body], waitUntilFinished: true)
      return Pile(end: {})
    },
    .call("operation-of-graph", among: "operations of one graph", mostBytes: 1024) {
      stage, items, _ in
      let graph = chain(2)
      let queue = stage.members(0, limit: 1)
      for _ in 0..<items { queue.addOperation(graph.operation()) }
      return Pile(
        call: { _ in queue.addOperation(graph.operation()) }, end: { CostStage.drain(queue) })
    },
    .call("onFinish-run", among: "handlers of one run") { stage, items, _ in
      let gate = Operation()
      let graph = graph { builder in builder.add { gate.waitUntilFinished() } }
      // On the scheduler that runs jobs where they are submitted, all handlers come after the end.
      if stage.scheduler.waitsByHelping { gate.cancelAndFinish() }
      let run = graph.run(on: stage.scheduler)
      for _ in 0..<items { run.onFinish { _ in } }
      return Pile(
        call: { _ in run.onFinish { _ in } },
        end: {
          gate.cancelAndFinish()
          run.wait()
        })
    },
  ]

  private static func chain(_ nodes: Int) -> OperationGraph {
    graph { builder in
      var last: OperationGraph.Node?
      for _ in 0..<nodes { last = builder.add(after: last.map { [$0] } ?? []) {} }
    }
  }

  private static func graph(_ build: (inout OperationGraph.Builder) -> Void) -> OperationGraph {
    do { return try OperationGraph { builder in build(&builder) } } catch { fatalError("\(error)") }
  }
}
