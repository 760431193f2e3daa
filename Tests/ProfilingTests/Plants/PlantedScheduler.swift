// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Dispatch
import Glibc
import Scheduling

import class Foundation.Thread

/// Threads that share one list of jobs under a lock, and do wrong what they are told to do wrong.
///
/// It tells a recording all that a scheduler can tell, so that the recording has the cause.
final class PlantedScheduler: Scheduler {
  /// What goes wrong.
  enum Fault {
    case none
    /// Only worker 0 is ever woken.
    case wakesNobody
    /// All but worker 0 are woken, and look for jobs where there are none.
    case searchesWrongVictim
  }

  let workerCount: Int
  private let core: Core
  var identity: SchedulerIdentity { SchedulerIdentity(object: core) }

  init(workers: Int) {
    workerCount = workers
    core = Core(workers: workers)
    for worker in 0..<workers {
      core.threads.enter()
      Thread.detachNewThread { [core] in core.work(as: worker) }
    }
  }

  deinit { core.close() }

  func submit(_ jobs: consuming JobChain) { core.submit(jobs) }

  func shutDown() {
    core.close()
    core.threads.wait()
  }

  /// Waits until all workers sleep, then does wrong what comes from here on.
  ///
  /// Workers that look where nothing is have begun to when it returns.
  func plant(_ fault: Fault) {
    core.state.withLock { $0.isSearchOver = true }
    while !core.state.withLock({ $0.unfinished == 0 && $0.isAsleep.allSatisfy(\.self) }) {
      usleep(100)
    }
    core.begin(fault)
    while fault == .searchesWrongVictim, !core.state.withLock({ $0.isSearching }) { usleep(100) }
  }

  /// What the threads hold until the last job has run, also when the scheduler is dropped.
  private final class Core: Sendable {
    struct State {
      var jobs: [Job] = []
      var isAsleep: [Bool]
      /// Jobs that wait or run.
      var unfinished = 0
      var fault = Fault.none
      var isSearchOver = true
      var isSearching = false
      var isClosed = false
    }

    let threads = DispatchGroup()
    let state: Locked<State>
    private let signals: [DispatchSemaphore]

    init(workers: Int) {
      state = Locked(State(isAsleep: Array(repeating: false, count: workers)))
      signals = (0..<workers).map { _ in DispatchSemaphore(value: 0) }
    }

    func submit(_ jobs: consuming JobChain) {
      var added = jobs
      let woken = state.withLock { state in
        let count = added.count
        state.unfinished += count
        while let job = added.popFirst() { state.jobs.append(job) }
        return wake(atMost: count, &state)
      }
      signal(woken)
    }

    func begin(_ fault: Fault) {
      let woken = state.withLock { state in
        state.fault = fault
        state.isSearchOver = fault != .searchesWrongVictim
        return state.isSearchOver ? [] : wake(atMost: .max, &state)
      }
      signal(woken)
    }

    func close() {
      let woken = state.withLock { state in
        state.isClosed = true
        state.isSearchOver = true
        return state.unfinished == 0 ? wake(atMost: .max, &state, whatever: true) : []
      }
      signal(woken)
    }

    func work(as worker: Int) {
      SchedulerEvents.begins(worker: worker)
      var context = WorkerContext(worker: worker, scheduler: SchedulerIdentity(object: self))
      while let job = next(worker) {
        unsafe context.runToCompletion(job, bound: 0) { submit($0) }
        let isLast = state.withLock { state in
          state.unfinished -= 1
          return state.isClosed && state.unfinished == 0
        }
        if isLast { close() }
      }
      SchedulerEvents.ends()
      threads.leave()
    }

    /// Those that are woken, as no longer asleep.
    private func wake(atMost count: Int, _ state: inout State, whatever: Bool = false) -> [Int] {
      let may = state.fault == .wakesNobody && !whatever ? 0..<1 : state.isAsleep.indices
      let woken = Array(may.filter { state.isAsleep[$0] }.prefix(count))
      for worker in woken { state.isAsleep[worker] = false }
      return woken
    }

    private func signal(_ woken: [Int]) {
      guard !woken.isEmpty else { return }
      SchedulerEvents.wakes(woken.count)
      for worker in woken { signals[worker].signal() }
    }

    /// The next job; sleeps until there is one; nil when all is over.
    private func next(_ worker: Int) -> Job? {
      while true {
        let (job, mustSearch, isOver) = state.withLock { state -> (Job?, Bool, Bool) in
          if worker > 0, !state.isSearchOver {
            state.isSearching = true
            return (nil, true, false)
          }
          if !state.jobs.isEmpty {
            return (state.jobs.removeFirst(), false, false)
          }
          if state.isClosed, state.unfinished == 0 { return (nil, false, true) }
          state.isAsleep[worker] = true
          return (nil, false, false)
        }
        if let job { return job }
        if isOver { return nil }
        if mustSearch { searchInVain(worker) } else { sleep(worker) }
      }
    }

    private func sleep(_ worker: Int) {
      SchedulerEvents.parks()
      signals[worker].wait()
      SchedulerEvents.unparks()
    }

    /// Looks into its own list, which is always empty, until it is told to look elsewhere.
    private func searchInVain(_ worker: Int) {
      SchedulerEvents.beginsSearch()
      while state.withLock({ !$0.isSearchOver }) {
        SchedulerEvents.failsToSteal(from: worker)
        usleep(50)
      }
      state.withLock { $0.isSearching = false }
    }
  }
}
