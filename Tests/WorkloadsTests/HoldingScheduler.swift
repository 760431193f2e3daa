// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization

@testable import Workloads

/// Runs jobs on the submitting thread, oldest first; one of them, by its number in the order of
/// submission, only when nothing else is left.
///
/// Holding back makes an order that edges alone forbid: where one is missing, a successor of the
/// job runs before it. Tells the fault of a test which job runs.
final class HoldingScheduler: Scheduler {
  private struct State {
    var waiting: [(number: Int, job: Job)] = []
    var first = 0
    var held: (number: Int, job: Job)?
    var submitted = 0
    var isRunning = false
  }

  private let state = Mutex(State())
  private let held: Int?
  private let fault: PlantedFault

  let workerCount = 1

  init(holding held: Int? = nil, telling fault: PlantedFault) {
    self.held = held
    self.fault = fault
  }

  func submit(_ jobs: consuming JobChain) {
    let mayRun = state.withLock { state in
      while let job = jobs.popFirst() {
        let entry = (number: state.submitted, job: job)
        if entry.number == held { state.held = entry } else { state.waiting.append(entry) }
        state.submitted += 1
      }
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard mayRun else { return }
    var context = WorkerContext(worker: 0, scheduler: identity)
    while let (number, job) = next() {
      fault.begins(job: number)
      unsafe context.runToCompletion(job, bound: 0) { self.submit($0) }
    }
  }

  private func next() -> (number: Int, job: Job)? {
    state.withLock { state in
      if state.first < state.waiting.count {
        defer { state.first += 1 }
        return state.waiting[state.first]
      }
      state.waiting.removeAll(keepingCapacity: true)
      state.first = 0
      if let held = state.held.take() { return held }
      state.isRunning = false
      return nil
    }
  }
}
