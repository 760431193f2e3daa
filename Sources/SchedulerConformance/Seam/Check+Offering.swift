// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Check {
  /// What a running job may do with jobs of its own: offer them and take them back, or wait for
  /// them.
  package static let offering: [Check] = [
    Check("anOfferedJobRunsOnceUnlessItIsTakenBack", .seam(.offering)) { trial in
      guard let scheduler = trial.makeScheduler().forkJoin else { return }
      let rounds = 400
      let perRound = 5
      let jobs = CountedJobs(count: rounds * perRound)
      let ended = Atomic<Int>(0)
      for round in 0..<rounds {
        scheduler.submit {
          var random = SeededGenerator(seed: UInt64(round))
          let band = PriorityBand(rawValue: UInt8(random.index(below: 5))) ?? .normal
          var offered: [Int] = []
          for number in round * perRound..<(round + 1) * perRound {
            if scheduler.offer(jobs.job(number, band: band)) {
              offered.append(number)
            } else {
              jobs.comesBack(number)
            }
          }
          for _ in 0..<random.index(below: 500) { spinPause() }
          // A job that submits meanwhile lies above them.
          if round % 3 == 0 { scheduler.submit {} }
          // Mostly as forks are joined, the last one first.
          let order = round % 2 == 0 ? offered.reversed() : offered.shuffled(using: &random)
          for number in order where scheduler.takeBack(jobs.job(number, band: band)) {
            jobs.comesBack(number)
          }
          ended.add(1, ordering: .releasing)
        }
      }
      trial.eventually(equals: rounds, "the number of jobs that ended") {
        ended.load(ordering: .acquiring)
      }
      // Looked at below: with some jobs lost and others run although they came back the sum may be
      // right.
      _ = trial.waitUntil { jobs.back + jobs.runs >= jobs.count }
      letJobsPass(scheduler, trial)
      trial.expect(
        jobs.lost, equals: [], "the numbers of the jobs that were neither run nor taken back")
      trial.expect(
        jobs.ranAndCameBack, equals: [],
        "the numbers of the jobs that were run although they were taken back or refused")
      trial.expect(jobs.repeated, equals: [], "the numbers of the jobs that ran more than once")
    },
    Check("aJobThatRanIsNotTakenBack", .seam(.offering), on: .one) { trial in
      guard let scheduler = trial.makeScheduler().forkJoin else { return }
      let jobs = CountedJobs(count: 1)
      let hasEnded = Atomic(false)
      scheduler.submit {
        if !scheduler.offer(jobs.job(0)) {
          jobs.comesBack(0)
        } else if scheduler.help() {
          trial.expect(!scheduler.takeBack(jobs.job(0)), "!scheduler.takeBack(a job that ran)")
        }
        hasEnded.store(true, ordering: .releasing)
      }
      trial.eventually("the job to end") { hasEnded.load(ordering: .acquiring) }
      trial.eventually("the job that it offered to run or to be refused") { jobs.areSettled }
    },
    Check("otherThreadsOfferNothing", .seam(.foreignThreads)) { trial in
      let scheduler = trial.makeScheduler()
      let jobs = CountedJobs(count: 1)
      if let forkJoin = scheduler.forkJoin {
        let isRefused = !forkJoin.offer(jobs.job(0))
        if isRefused { jobs.comesBack(0) }
        trial.expect(isRefused, "!scheduler.offer(a job)")
        trial.expect(!forkJoin.takeBack(jobs.job(0)), "!scheduler.takeBack(a job)")
        trial.expect(
          !forkJoin.help(worker: 0, in: .normal, wants: { _ in true }, use: { _ in .run }),
          "!scheduler.help(worker: 0, …)")
      }
      if let awaiting = scheduler.awaiting {
        trial.expect(!awaiting.helpAwaited { _ in true }, "!scheduler.helpAwaited(…)")
        trial.expect(awaiting.withdraw { _ in true }.isEmpty, "scheduler.withdraw(…).isEmpty")
      }
    },
    Check("aWaitingJobRunsOnlyWhatItAccepts", .seam(.awaiting), on: .one) { trial in
      guard let scheduler = trial.makeScheduler().awaiting else { return }
      let jobs = CountedJobs(count: 100)
      let hasEnded = Atomic(false)
      scheduler.submit {
        let odd = Set((0..<50).map { jobs.job(2 * $0 + 1, band: band(2 * $0 + 1)) })
        var chain = JobChain()
        for number in 0..<100 { chain.append(jobs.job(number, band: band(number))) }
        scheduler.submitAwaited(chain)
        // Nobody else runs jobs now.
        var runs = 0
        while runs < 200, scheduler.helpAwaited(ifAccepted: odd.contains) { runs += 1 }
        trial.expect(jobs.runs, equals: runs, "the number of jobs that ran")
        trial.expect(
          (0..<50).filter { !jobs.missing.contains(2 * $0) }, equals: [],
          "the jobs that ran although they were not accepted")
        hasEnded.store(true, ordering: .releasing)
      }
      trial.eventually("the job to end") { hasEnded.load(ordering: .acquiring) }
      trial.eventually(equals: 100, "the number of jobs that ran in the end") { jobs.runs }
      trial.expect(jobs.repeated, equals: [], "the numbers of the jobs that ran more than once")
    },
    Check("jobsThatAreWaitedForRunOnceWhoeverRunsThem", .seam(.awaiting, .exactlyOnce)) { trial in
      guard let scheduler = trial.makeScheduler().awaiting else { return }
      let rounds = 300
      let jobs = CountedJobs(count: 4 * rounds)
      for round in 0..<rounds {
        scheduler.submit {
          let mine = (4 * round..<4 * round + 4).map { jobs.job($0, band: band($0)) }
          var chain = JobChain()
          for job in mine { chain.append(job) }
          scheduler.submitAwaited(chain)
          while scheduler.helpAwaited(ifAccepted: mine.contains) {}
        }
      }
      // Looked at first: with some jobs lost and others repeated the sum may be right.
      _ = trial.waitUntil { jobs.runs >= jobs.count }
      trial.expect(jobs.repeated, equals: [], "the numbers of the jobs that ran more than once")
      trial.expect(jobs.missing, equals: [], "the numbers of the jobs that did not run")
    },
  ]
}

/// Runs jobs of every band, among them some that running jobs submit, so that whatever a worker
/// still holds comes up.
private func letJobsPass(_ scheduler: any Scheduler, _ trial: Trial) {
  let passed = Atomic<Int>(0)
  for _ in 0..<20 {
    var chain = JobChain()
    for number in 0..<10 {
      chain.append(
        ClosureJob.plain(band: band(number)) {
          scheduler.submit(band: band(number)) { passed.add(1, ordering: .relaxed) }
          passed.add(1, ordering: .relaxed)
        })
    }
    scheduler.submit(chain)
  }
  trial.eventually(equals: 400, "the number of jobs that ran afterwards") {
    passed.load(ordering: .relaxed)
  }
}

/// A band that the number decides.
private func band(_ number: Int) -> PriorityBand {
  PriorityBand(rawValue: UInt8(number / 2 % 5)) ?? .normal
}
