// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Scheduling
internal import Synchronization

/// Threads that share lists of jobs under one lock, a list for each, and are as slow as they are
/// told to be: what a comparison has to notice.
final class HandicappedScheduler: Scheduler {
  let workerCount: Int
  private let core: Core
  var identity: SchedulerIdentity { SchedulerIdentity(object: core) }

  init(workers: Int, handicap: Handicap) {
    workerCount = workers
    core = Core(workers: workers, handicap: handicap)
    for worker in 0..<workers {
      core.threads.enter()
      Thread.detachNewThread { [core] in core.work(as: worker) }
    }
  }

  deinit { core.close() }

  func submit(_ jobs: consuming JobChain) { core.submit(jobs, to: nil) }

  func shutDown() {
    core.close()
    core.threads.wait()
  }

  /// What the threads hold until the last job has run, also when the scheduler is dropped.
  private final class Core: Sendable {
    let threads = DispatchGroup()
    /// One signal for each job, and in the end one for each thread.
    private let signals = DispatchSemaphore(value: 0)
    private let lists: Mutex<Lists>
    private let workers: Int
    private let handicap: Handicap

    private struct Lists {
      /// The jobs of each worker, the newest last.
      var own: [[Job]]
      /// Who gets what comes from outside.
      var turn = 0
      /// Jobs that wait or run.
      var unfinished = 0
      /// Signals that were due.
      var signals = 0
      var isClosed = false
    }

    init(workers: Int, handicap: Handicap) {
      self.workers = workers
      self.handicap = handicap
      lists = Mutex(Lists(own: Array(repeating: [], count: workers)))
    }

    func submit(_ jobs: consuming JobChain, to worker: Int?) {
      var added = jobs
      let count = added.count
      let due = lists.withLock { lists in
        lists.unfinished += count
        while let job = added.popFirst() {
          lists.own[worker ?? lists.turn].append(job)
          if worker == nil { lists.turn = (lists.turn + 1) % workers }
        }
        let before = lists.signals
        lists.signals += count
        return count - handicap.signalsLost(from: before, to: lists.signals)
      }
      for _ in 0..<due { signals.signal() }
    }

    func close() { endIfQuiet { $0.isClosed = true } }

    private func endIfQuiet(_ change: (inout Lists) -> Void) {
      let isQuiet = lists.withLock { lists in
        change(&lists)
        return lists.isClosed && lists.unfinished == 0
      }
      if isQuiet { for _ in 0..<workers { signals.signal() } }
    }

    func work(as worker: Int) {
      var context = WorkerContext(worker: worker, scheduler: SchedulerIdentity(object: self))
      let ballast = Ballast(handicap)
      while true {
        // Who slept through a signal that was lost looks again after a millisecond.
        let isSignalled = signals.wait(timeout: .now() + .milliseconds(1)) == .success
        guard let job = next(worker) else {
          if isSignalled, lists.withLock({ $0.isClosed && $0.unfinished == 0 }) { break }
          continue
        }
        ballast.carry()
        unsafe context.runToCompletion(job, bound: 0) { submit($0, to: worker) }
        endIfQuiet { $0.unfinished -= 1 }
      }
      threads.leave()
    }

    /// The newest job of its own, else the oldest of another worker; the other way round under a
    /// handicap.
    private func next(_ worker: Int) -> Job? {
      lists.withLock { lists in
        let isOwn = !lists.own[worker].isEmpty
        guard isOwn || lists.own.contains(where: { !$0.isEmpty }) else { return nil }
        let from = isOwn ? worker : lists.own.firstIndex { !$0.isEmpty } ?? worker
        return isOwn == handicap.stealsNewest
          ? lists.own[from].removeFirst() : lists.own[from].removeLast()
      }
    }
  }
}
