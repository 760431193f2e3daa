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
      unsafe context.runToCompletion(job) { self.submit($0) }
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

/// Runs jobs like `NewestFirstScheduler` but loses every job from some point on.
final class LosingScheduler: Scheduler {
  private let inner = NewestFirstScheduler()
  private let kept: Int
  private let submitted = Atomic(0)

  /// Runs the first `kept` submitted jobs and loses the others.
  init(keeping kept: Int) { self.kept = kept }

  let workerCount = 1

  func submit(_ jobs: consuming JobChain) {
    var chain = JobChain()
    while let job = jobs.popFirst() {
      // relaxed: only the count matters.
      let index = submitted.add(1, ordering: .relaxed).oldValue
      if index < kept { chain.append(job) }
    }
    inner.submit(chain)
  }
}
