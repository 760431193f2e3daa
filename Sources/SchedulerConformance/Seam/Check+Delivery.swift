// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Check {
  /// Every job runs exactly once, wherever it comes from, and sees what its submitter wrote.
  package static let delivery: [Check] = [
    Check("aSubmissionWakesAnIdleScheduler", .seam(.wakeUp), isFoundation: true) { trial in
      let scheduler = trial.makeScheduler()
      let jobs = CountedJobs(count: 450)
      var random = SeededGenerator(seed: 1)
      var submitted = 0
      // One at a time, then two at once, after pauses of every length: workers are awake, about to
      // sleep, or asleep.
      for round in 0..<300 {
        for _ in 0...(round % 2) {
          scheduler.submit(JobChain(jobs.job(submitted)))
          submitted += 1
        }
        guard trial.waitUntil({ jobs.runs >= submitted }) else {
          trial.fail(
            "\(submitted) jobs to run, submitted one or two at a time", found: "only \(jobs.runs)")
          return
        }
        let end = MonotonicTime.nanoseconds() + UInt64(random.index(below: 400)) * 1_000
        while MonotonicTime.nanoseconds() < end { yieldCore() }
      }
    },
    Check("aChainWakesAWorkerForEachOfItsJobs", .seam(.wakeUp), needs: [.ownThreads]) { trial in
      let scheduler = trial.makeScheduler()
      var random = SeededGenerator(seed: 2)
      // The jobs wait for each other, unannounced, as the operations of one `addOperations` may.
      for round in 1...20 {
        let meeting = Meeting(of: trial.workers, limit: trial.patience * 2)
        var chain = JobChain()
        for _ in 0..<trial.workers { chain.append(ClosureJob.plain { meeting.attend() }) }
        scheduler.submit(chain)
        let isComplete = trial.eventually(
          equals: trial.workers,
          "the number of jobs that run at a time, of one chain that an idle scheduler got (\(round))"
        ) { meeting.attendance }
        meeting.close()
        let haveLeft = trial.eventually(equals: trial.workers, "the number of them that ended") {
          meeting.departures
        }
        guard isComplete, haveLeft else { return }
        // Workers are about to sleep, or asleep.
        let end = MonotonicTime.nanoseconds() + UInt64(random.index(below: 3_000)) * 1_000
        while MonotonicTime.nanoseconds() < end { yieldCore() }
      }
    },
    Check("everyJobOfManySubmittersRunsOnce", .seam(.exactlyOnce), isFoundation: true) { trial in
      let scheduler = trial.makeScheduler()
      let jobs = CountedJobs(count: 4 * 2_000)
      onThreads(4) { thread in
        var random = SeededGenerator(seed: UInt64(thread))
        var next = thread * 2_000
        while next < (thread + 1) * 2_000 {
          var chain = JobChain()
          for _ in 0..<Int.random(in: 1...7, using: &random) where next < (thread + 1) * 2_000 {
            let band = PriorityBand(rawValue: UInt8.random(in: 0..<5, using: &random)) ?? .normal
            chain.append(jobs.job(next, band: band))
            next += 1
          }
          scheduler.submit(chain)
        }
      }
      // Looked at first: with some jobs lost and others repeated the sum may be right.
      _ = trial.waitUntil { jobs.runs >= jobs.count }
      trial.expect(jobs.repeated, equals: [], "the numbers of the jobs that ran more than once")
      trial.expect(jobs.missing, equals: [], "the numbers of the jobs that did not run")
    },
    Check("jobsAreReleasedAfterTheirRun", .seam(.exactlyOnce)) { trial in
      let scheduler = trial.makeScheduler()
      let lifetimes = LifetimeCounter()
      let runs = Counters(count: 2_000)
      for number in 0..<2_000 {
        let token = lifetimes.token()
        scheduler.submit { withExtendedLifetime(token) { runs.add(number) } }
      }
      trial.eventually(equals: 2_000, "the number of jobs that ran") { runs.total }
      trial.expect(runs.exceptions, equals: [], "the jobs that did not run once")
      trial.eventually(equals: 0, "the number of jobs whose memory is left") { lifetimes.live }
    },
    Check("jobsSubmitJobsToAnyDepth", .seam(.exactlyOnce)) { trial in
      let scheduler = trial.makeScheduler()
      let runs = Atomic<Int>(0)
      // A binary tree 12 levels deep, then a line of 100 000, which would overflow a stack that
      // grew with it.

      @Sendable func tree(_ level: Int) {
        runs.add(1, ordering: .relaxed)
        guard level > 0 else { return }
        for _ in 0..<2 { scheduler.submit { tree(level - 1) } }
      }
      @Sendable func line(_ left: Int) {
        runs.add(1, ordering: .relaxed)
        if left > 1 { scheduler.submit { line(left - 1) } }
      }
      scheduler.submit { tree(12) }
      scheduler.submit { line(100_000) }
      let expected = (1 << 13) - 1 + 100_000
      trial.eventually(equals: expected, "the number of jobs that ran") {
        runs.load(ordering: .relaxed)
      }
    },
    Check("successorsAndReadyJobsRunOnceEach", .seam(.publication)) { trial in
      let scheduler = trial.makeScheduler()
      let links = 20_000
      let runs = Counters(count: 2 * links)
      // Job i makes i + 1 its successor and one leaf ready.
      @Sendable func link(_ number: Int) -> Job {
        ClosureJob.make { context in
          runs.add(number)
          context.ready.append(ClosureJob.plain { runs.add(links + number) })
          return number + 1 < links ? link(number + 1) : nil
        }
      }
      scheduler.submit(JobChain(link(0)))
      trial.eventually(equals: 2 * links, "the number of jobs that ran") { runs.total }
      trial.expect(runs.exceptions, equals: [], "the jobs that did not run once")
    },
    Check("aJobSeesWhatItsSubmitterWrote", .seam(.visibility)) { trial in
      let scheduler = trial.makeScheduler()
      let right = Atomic<Int>(0)
      let wrong = Atomic<Int>(0)
      for number in 1...2_000 {
        let box = PlainBox(number)
        scheduler.submit {
          let seen = unsafe box.value
          if seen == number {
            right.add(1, ordering: .relaxed)
          } else {
            wrong.add(1, ordering: .relaxed)
          }
        }
      }
      trial.eventually(equals: 2_000, "the number of jobs that ran") {
        right.load(ordering: .relaxed) + wrong.load(ordering: .relaxed)
      }
      trial.expect(
        wrong.load(ordering: .relaxed), equals: 0, "the number of jobs that saw something older")
    },
    Check("theContextNamesItsSchedulerAndWorker", .seam(.context)) { trial in
      let scheduler = trial.makeScheduler()
      let (identity, workers) = (scheduler.identity, scheduler.workerCount)
      trial.expect(workers, equals: trial.workers, "workerCount")
      let right = Atomic<Int>(0)
      let wrong = Atomic<Int>(0)
      for _ in 0..<500 {
        scheduler.submit(
          JobChain(
            ClosureJob.make { context in
              let fits = context.scheduler == identity && (0..<workers).contains(context.worker)
              if fits { right.add(1, ordering: .relaxed) } else { wrong.add(1, ordering: .relaxed) }
              return nil
            }))
      }
      trial.eventually(equals: 500, "the number of jobs that ran") {
        right.load(ordering: .relaxed) + wrong.load(ordering: .relaxed)
      }
      trial.expect(
        wrong.load(ordering: .relaxed), equals: 0, "the number of jobs with a wrong context")
    },
    Check("theIdleFunctionIsCalledOnceNothingIsLeft", .seam(.idleFunction)) { trial in
      let scheduler = trial.makeScheduler()
      for number in 0..<100 {
        let before = idleCalls.load(ordering: .relaxed)
        scheduler.submit(
          JobChain(
            ClosureJob.make { context in
              unsafe context.idle = { _ in idleCalls.add(1, ordering: .relaxed) }
              return nil
            }))
        let isCalled = trial.eventually(
          equals: before + 1, "the calls of the idle function, after job \(number)"
        ) { idleCalls.load(ordering: .relaxed) }
        guard isCalled else { return }
      }
    },
  ]
}

/// Calls of the idle function, which is a C function and captures nothing; checks run one at a
/// time.
private let idleCalls = Atomic<Int>(0)
