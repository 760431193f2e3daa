// SPDX-License-Identifier: Apache-2.0

import Scheduling
import Synchronization
import TestSupport
import WorkStealingBackend

/// A scheduler that passes everything on to a good one, but for one mistake.
final class CarelessScheduler: AwaitingScheduler, ForkJoinScheduler {
  enum Mistake: CaseIterable {
    /// Says that a job was taken back that has run.
    case givesBackWhatRan
    /// Says that a job was not taken back that was.
    case keepsWhatItGaveBack
    /// Runs a job after all that was taken back, with the next chain of several jobs.
    case runsWhatItGaveBack
    /// Lets a waiting job run any other.
    case runsWhatIsNotAccepted
  }

  private let mistake: Mistake
  private let givenBack = Mutex(JobChain())
  private let inner = WorkStealingScheduler(workers: 1)

  init(_ mistake: Mistake) { self.mistake = mistake }

  var identity: SchedulerIdentity { inner.identity }
  var workerCount: Int { inner.workerCount }

  func submit(_ jobs: consuming JobChain) {
    if jobs.count > 1 {
      let late = givenBack.withLock { $0.take() }
      if !late.isEmpty { inner.submit(late) }
    }
    inner.submit(jobs)
  }

  func help() -> Bool { inner.help() }
  func offer(_ job: Job) -> Bool { inner.offer(job) }

  func takeBack(_ job: Job) -> Bool {
    let isTakenBack = inner.takeBack(job)
    if mistake == .runsWhatItGaveBack, isTakenBack { givenBack.withLock { $0.append(job) } }
    return switch mistake {
    case .givesBackWhatRan: true
    case .keepsWhatItGaveBack: false
    case .runsWhatItGaveBack, .runsWhatIsNotAccepted: isTakenBack
    }
  }

  func help(
    worker: Int, in band: PriorityBand, wants: (Job) -> Bool, use: (Job) -> StolenJobUse
  ) -> Bool {
    inner.help(worker: worker, in: band, wants: wants, use: use)
  }

  func submitAwaited(_ jobs: consuming JobChain) { submit(jobs) }
  func withdraw(where accepts: (Job) -> Bool) -> JobChain { inner.withdraw(where: accepts) }

  func helpAwaited(ifAccepted accepts: (Job) -> Bool) -> Bool {
    inner.helpAwaited { accepts($0) || mistake == .runsWhatIsNotAccepted }
  }
}
