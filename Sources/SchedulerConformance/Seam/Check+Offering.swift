// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Check {
  /// What a running job may do with jobs of its own: offer them and take them back, or wait for them.
  package static let offering: [Check] = [
    Check("anOfferedJobRunsOnceUnlessItIsTakenBack", .seam(.offering)) { trial in
      let scheduler = trial.makeScheduler()
      let rounds = 400
      let perRound = 5
      let jobs = CountedJobs(count: rounds * perRound)
      let takenBack = Locked<[Int]>([])
      let offered = Locked<[Int]>([])
      let ended = Atomic<Int>(0)
      for round in 0..<rounds {
        scheduler.submit {
          var random = SeededGenerator(seed: UInt64(round))
          let band = PriorityBand(rawValue: UInt8(random.index(below: 5))) ?? .normal
          let numbers = (round * perRound..<(round + 1) * perRound).filter {
            scheduler.offer(jobs.job($0, band: band))
          }
          for _ in 0..<random.index(below: 500) { spinPause() }
          // A job that submits meanwhile lies above them.
          if round % 3 == 0 { scheduler.submit {} }
          // Mostly as forks are joined, the last one first.
          let order = round % 2 == 0 ? numbers.reversed() : numbers.shuffled(using: &random)
          let back = order.filter { scheduler.takeBack(jobs.job($0, band: band)) }
          offered.withLock { $0 += numbers }
          takenBack.withLock { $0 += back }
          ended.add(1, ordering: .releasing)
        }
      }
      trial.eventually(equals: rounds, "the number of jobs that ended") {
        ended.load(ordering: .acquiring)
      }
      let (all, back) = (offered.withLock { Set($0) }, takenBack.withLock { Set($0) })
      trial.eventually(equals: all.count - back.count, "the runs of jobs not taken back") {
        jobs.runs
      }
      trial.expect(
        jobs.missing.filter { all.contains($0) && !back.contains($0) }, equals: [],
        "the numbers of the jobs that were neither run nor taken back")
      trial.expect(
        back.subtracting(jobs.missing).sorted(), equals: [],
        "the numbers of the jobs that were run and taken back")
      trial.expect(jobs.repeated, equals: [], "the numbers of the jobs that ran more than once")
    },
    Check("aJobThatRanIsNotTakenBack", .seam(.offering), on: .one) { trial in
      let scheduler = trial.makeScheduler()
      let jobs = CountedJobs(count: 1)
      let hasEnded = Atomic(false)
      scheduler.submit {
        if scheduler.offer(jobs.job(0)), scheduler.help() {
          trial.expect(!scheduler.takeBack(jobs.job(0)), "!scheduler.takeBack(a job that ran)")
        }
        hasEnded.store(true, ordering: .releasing)
      }
      trial.eventually("the job to end") { hasEnded.load(ordering: .acquiring) }
    },
    Check("otherThreadsOfferNothing", .seam(.foreignThreads)) { trial in
      let scheduler = trial.makeScheduler()
      let jobs = CountedJobs(count: 1)
      trial.expect(!scheduler.offer(jobs.job(0)), "!scheduler.offer(a job)")
      trial.expect(!scheduler.takeBack(jobs.job(0)), "!scheduler.takeBack(a job)")
      trial.expect(!scheduler.helpAwaited { _ in true }, "!scheduler.helpAwaited(…)")
      trial.expect(
        !scheduler.help(worker: 0, in: .normal, wants: { _ in true }, use: { _ in .run }),
        "!scheduler.help(worker: 0, …)")
    },
    Check("aWaitingJobRunsOnlyWhatItAccepts", .seam(.awaiting), on: .one) { trial in
      let scheduler = trial.makeScheduler()
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
      let scheduler = trial.makeScheduler()
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

/// A band that the number decides.
private func band(_ number: Int) -> PriorityBand {
  PriorityBand(rawValue: UInt8(number / 2 % 5)) ?? .normal
}
