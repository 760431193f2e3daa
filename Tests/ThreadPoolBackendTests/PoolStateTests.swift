// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Scheduling
import TestSupport
import Testing

@testable import ThreadPoolBackend

/// The pool's state machine where the system refuses a thread; each step is what a thread of the
/// pool would do.
@Suite struct PoolStateTests {
  private func chain() -> JobChain { JobChain(ClosureJob.plain {}) }

  /// Runs a job without whatever it makes ready.
  private func run(_ step: PoolState.Step) -> Bool {
    guard case .run(let job, _) = step else { return false }
    var context = WorkerContext(worker: 0, scheduler: SchedulerIdentity(object: Marker()))
    return unsafe job.job.run(in: &context) == nil
  }

  private final class Marker {}

  /// The job of the only worker has blocked and runs again, and a thread was announced meanwhile
  /// for a second job: returns its index.
  private func announceThread(_ state: inout PoolState) -> Int {
    #expect(state.submit(chain(), areAwaited: false).start == 0)
    let (first, _) = state.arrive()
    #expect(state.block().start == 0)
    #expect(state.submit(chain(), areAwaited: false).start == 1)
    state.unblock()
    #expect(run(first))
    // The announced thread is one of those that may run, so the first one makes room for it.
    let (step, _) = state.finish(JobChain(), areAwaited: false)
    guard case .idle = step else {
      Issue.record("\(step)")
      return 0
    }
    let (then, _) = state.settle(JobChain())
    guard case .sleep = then else {
      Issue.record("\(then)")
      return 0
    }
    return state.takeIndex()
  }

  @Test func aSleeperTakesTheJobOfAThreadThatIsRefused() {
    var state = PoolState(workers: 1)
    let index = announceThread(&state)
    #expect(state.sleeping == 1 && state.queue.count == 1)
    #expect(state.canDoWithoutStart == true)
    let summons = state.startFailed(index: index)
    #expect(summons.wake == 1 && summons.start == 0)
    let (step, _) = state.arrive()
    #expect(run(step))
    #expect(state.queue.isEmpty && state.running == 1 && state.threads == 1 && state.alive == 1)
  }

  @Test func aPoolThatWaitedForAThreadThatIsRefusedEnds() {
    var state = PoolState(workers: 1)
    let index = announceThread(&state)
    // Somebody helps himself to the job before the thread is refused.
    guard let job = state.queue.popFirst() else { return }
    #expect(run(.run(job, bands: 0)))
    #expect(state.stop().wake == 0)
    #expect(state.stopped == false)
    let summons = state.startFailed(index: index)
    #expect(state.stopped && summons.wake == 1)
    let (step, _) = state.arrive()
    guard case .idle = step else {
      Issue.record("\(step)")
      return
    }
  }

  @Test func aThreadThatNothingGoesOnWithoutIsNotGivenUp() {
    var state = PoolState(workers: 1)
    _ = state.submit(chain(), areAwaited: false)
    let (first, _) = state.arrive()
    _ = state.block()
    #expect(state.submit(chain(), areAwaited: false).start == 1)
    #expect(state.canDoWithoutStart == false)
    // Until the blocked one runs again.
    state.unblock()
    #expect(state.canDoWithoutStart == true)
    let index = state.takeIndex()
    let summons = state.startFailed(index: index)
    #expect(summons.wake == 0 && summons.start == 0)
    #expect(run(first))
    let (step, _) = state.finish(JobChain(), areAwaited: false)
    #expect(run(step))
  }
}
