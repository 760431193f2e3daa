// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

/// Runs jobs on the submitting thread, newest first: a legal order that no back end uses.
///
/// Jobs submitted from inside a job wait until it returns, so that depth is constant.
final class NewestFirstScheduler: Scheduler {
  private struct State {
    var waiting: [Job] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  let workerCount = 1

  func submit(_ jobs: consuming JobChain) {
    let mayRun = state.withLock { state in
      while let job = jobs.popFirst() { state.waiting.append(job) }
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard mayRun else { return }
    var context = WorkerContext(worker: 0, scheduler: identity)
    while let job = next() {
      context.runToCompletion(job) { self.submit($0) }
    }
  }

  private func next() -> Job? {
    state.withLock { state in
      let job = state.waiting.popLast()
      if job == nil { state.isRunning = false }
      return job
    }
  }
}

/// Runs jobs like `NewestFirstScheduler` but loses one of them.
final class LosingScheduler: Scheduler {
  private let inner = NewestFirstScheduler()
  private let untilLoss: Atomic<Int>

  /// Loses the submitted job with that index, counted from 1.
  init(losing index: Int) { untilLoss = Atomic(index) }

  let workerCount = 1

  func submit(_ jobs: consuming JobChain) {
    var kept = JobChain()
    while let job = jobs.popFirst() {
      // relaxed: only the count matters.
      let left = untilLoss.subtract(1, ordering: .relaxed).newValue
      if left != 0 { kept.append(job) }
    }
    inner.submit(kept)
  }
}
