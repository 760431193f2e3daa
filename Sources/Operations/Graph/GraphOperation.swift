// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling

/// An operation whose work is one run of a graph.
final class GraphOperation: Operation, @unchecked Sendable {
  private let graph: OperationGraph
  private let claim = BodyClaim()
  /// The run, from its start to its end.
  private let run = Locked<GraphRun?>(nil)

  init(of graph: OperationGraph) {
    self.graph = graph
    super.init()
    setInitialState(of: GraphOperation.self, StateBit.selfEndingClass)
  }

  override func main() {
    guard claim.take() else { return }
    let owner = Owner(operation: word, queue: queueOfBody)
    let scheduler = owner.queue?.scheduler ?? InlineScheduler()
    do {
      _ = try graph.tryRun(on: scheduler, for: owner) { run in
        self.run.withLock { $0 = run }
        run.onFinish { [self] _ in
          self.run.withLock { $0 = nil }
          finishFromAnywhere()
        }
        // A cancellation from now on finds the run; an earlier one is seen here.
        if isCancelled { run.cancel() }
      }
    } catch {
      error.fault("starting \(diagnosis)")
    }
  }

  override func skipBody() {
    // Else somebody has begun the run, and it ends when that has.
    if claim.take() { finishFromAnywhere() } else { cancelledWhileExecuting() }
  }

  override func cancelledWhileExecuting() { run.withLock { $0 }?.cancel() }
}
