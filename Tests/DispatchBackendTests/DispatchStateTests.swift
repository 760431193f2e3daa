// SPDX-License-Identifier: Apache-2.0

import SchedulerConformance
import Scheduling
import Testing

@testable import DispatchBackend

/// The scheduler's state machine where the system refuses a thread; each step is what an item would
/// do.
@Suite struct DispatchStateTests {
  private func chain(_ count: Int = 1) -> JobChain {
    var chain = JobChain()
    for _ in 0..<count { chain.append(ClosureJob.plain {}) }
    return chain
  }

  private final class Marker {}

  /// Runs a job without whatever it makes ready.
  private func run(_ job: QueuedJob?) -> Bool {
    guard let job else { return false }
    var context = WorkerContext(worker: 0, scheduler: SchedulerIdentity(object: Marker()))
    return unsafe job.job.run(in: &context) == nil
  }

  /// A worker that the concurrent queue has a thread for, and one that it has not, whose thread is
  /// refused.
  private func stateWithRefusedItem() -> DispatchState {
    var state = DispatchState(workers: 2, processors: 1)
    let summons = state.submit(chain(2), areAwaited: false)
    #expect(summons.shared == 1 && summons.extra == 1)
    state.refuseOwn()
    return state
  }

  @Test func aStopThatWaitsForARefusedItemEnds() {
    var state = stateWithRefusedItem()
    guard let (job, worker) = state.arrive(on: nil, isExtra: false) else { return }
    #expect(run(job))
    let (next, _) = state.advance(on: nil, ready: JobChain(), areAwaited: false)
    #expect(run(next))
    let left = state.leave(worker: worker, isExtra: false, ready: JobChain())
    #expect(left.shared + left.extra + left.own + left.ended == 0)
    let mustWait = state.stop()
    #expect(mustWait && state.canDoWithoutRefused)
    let summons = state.giveUpRefused()
    #expect(state.stopped && summons.ended == 1)
  }

  @Test func anItemOfTheConcurrentQueueTakesThePlaceOfARefusedOne() {
    var state = stateWithRefusedItem()
    guard let (job, worker) = state.arrive(on: nil, isExtra: false) else { return }
    #expect(run(job))
    // Sixty-four in a row: the item ends beside a job that the refused one was to take.
    let left = state.leave(worker: worker, isExtra: false, ready: JobChain())
    #expect(left.shared == 0 && state.canDoWithoutRefused)
    let summons = state.giveUpRefused()
    #expect(summons.shared == 1 && summons.extra == 0 && summons.own == 0)
    let next = state.arrive(on: nil, isExtra: false)
    #expect(run(next?.job))
  }

  @Test func anItemThatNothingGoesOnWithoutIsNotGivenUp() {
    var state = stateWithRefusedItem()
    let first = state.arrive(on: nil, isExtra: false)
    #expect(run(first?.job))
    let summons = state.block()
    #expect(summons.shared + summons.extra + summons.own == 0)
    #expect(state.canDoWithoutRefused == false)
    // Until the blocked one runs again.
    state.unblock()
    #expect(state.canDoWithoutRefused == true)
    let given = state.giveUpRefused()
    #expect(given.shared + given.extra + given.own + given.ended == 0)
    let (next, _) = state.advance(on: nil, ready: JobChain(), areAwaited: false)
    #expect(run(next))
  }

  @Test func twoRefusedItemsDoNotTrustEachOther() {
    var state = DispatchState(workers: 3, processors: 1)
    let summons = state.submit(chain(3), areAwaited: false)
    #expect(summons.shared == 1 && summons.extra == 2)
    let first = state.arrive(on: nil, isExtra: false)
    #expect(run(first?.job))
    _ = state.block()
    state.refuseOwn()
    #expect(state.canDoWithoutRefused == true)
    state.refuseOwn()
    #expect(state.canDoWithoutRefused == false)
    // One of them is started after all; it may run what the other was announced for.
    state.startRefused()
    #expect(state.canDoWithoutRefused == true)
  }

  /// Past the limit the thread that a wait asks for stays asked for when it was refused once.
  @Test func aRefusedThreadPastTheLimitIsAskedForAgain() {
    var state = DispatchState(workers: 1, processors: 1)
    var summons = state.submit(chain(), areAwaited: false)
    for depth in 0...DispatchState.compensationLimit {
      #expect(summons.shared + summons.extra == 1, "\(depth)")
      let item = state.arrive(on: nil, isExtra: depth > 0)
      #expect(run(item?.job))
      _ = state.submit(chain(), areAwaited: true)
      summons = state.block()
    }
    #expect(summons.shared + summons.extra + summons.own == 0)
    let past = state.compensatePastLimit()
    #expect(past.own == 1)
    let before = state.counters
    for _ in 0..<3 {
      state.refuseOwn()
      #expect(state.canDoWithoutRefused == false)
      let given = state.giveUpRefused()
      #expect(given.shared + given.extra + given.own + given.ended == 0)
      // Whatever happens next asks for the thread.
      let more = state.submit(chain(), areAwaited: false)
      #expect(more.own == 1)
    }
    #expect(state.counters == before)
    let item = state.arrive(on: nil, isExtra: true)
    #expect(run(item?.job))
  }
}
