// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Check {
  /// Blocked jobs do not stop the others.
  package static let blocking: [Check] = [
    Check("announcedBlocksLetOtherJobsRun", .seam(.compensation)) { trial in
      let scheduler = trial.makeScheduler()
      blockAndRelease(3 * trial.workers, on: scheduler, trial)
      expectCounted(\.compensations, "scheduler.counters.compensations", by: scheduler, trial)
    },
    // More than any scheduler compensates: only what compensatePastLimit() promises makes it end.
    Check("jobsThatOthersWaitForRunPastAnyLimit", .seam(.compensation), on: .usual) { trial in
      let scheduler = trial.makeScheduler()
      let depth = 500
      let returned = Atomic<Int>(0)
      let refused = Atomic<Int>(0)
      @Sendable func descend(_ level: Int) {
        let hasRun = Turnstile()
        if level > 0 {
          scheduler.submit {
            descend(level - 1)
            hasRun.signal()
          }
          scheduler.willBlock()
          if !scheduler.compensatePastLimit() { refused.add(1, ordering: .relaxed) }
          hasRun.wait()
          scheduler.didUnblock()
        }
        returned.add(1, ordering: .relaxed)
      }
      scheduler.submit { descend(depth) }
      trial.eventually(equals: depth + 1, "the number of jobs that waited for the next and ran") {
        returned.load(ordering: .relaxed)
      }
      trial.expect(
        refused.load(ordering: .relaxed), equals: 0,
        "the number of times that compensatePastLimit() had no thread")
    },
    Check("withdrawnJobsAreTheCallers", .seam(.exactlyOnce), on: .usual) { trial in
      guard let scheduler = trial.makeScheduler().awaiting else { return }
      let ran = Atomic<Int>(0)
      let isOver = Atomic<Int>(0)
      scheduler.submit {
        for _ in 0..<100 { scheduler.submit { ran.add(1, ordering: .relaxed) } }
        var looked = 0
        var jobs = scheduler.withdraw { _ in
          looked += 1
          return looked % 2 == 0
        }
        trial.expect(jobs.count, equals: looked / 2, "the number of jobs that came back")
        // The calling job runs them: nobody else may have.
        var context = WorkerContext(worker: 0, scheduler: scheduler.identity)
        while let job = jobs.popFirst() { _ = unsafe job.run(in: &context) }
        isOver.store(1, ordering: .releasing)
      }
      trial.eventually(equals: 1, "the end of the job that took others out") {
        isOver.load(ordering: .acquiring)
      }
      trial.eventually(equals: 100, "the number of jobs that ran, taken out or not") {
        ran.load(ordering: .relaxed)
      }
    },
    Check("afterCompensationNoMoreThanWorkersRun", .seam(.compensation)) { trial in
      let scheduler = trial.makeScheduler()
      blockAndRelease(4 * trial.workers, on: scheduler, trial)
      // Every job that blocked has returned or is about to, so its thread is surplus or asleep.
      let running = Atomic<Int>(0)
      let most = Atomic<Int>(0)
      let late = Atomic<Int>(0)
      for _ in 0..<500 {
        scheduler.submit {
          most.max(running.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
          yieldCore()
          running.subtract(1, ordering: .relaxed)
          late.add(1, ordering: .relaxed)
        }
      }
      trial.eventually(equals: 500, "the number of later jobs that ran") {
        late.load(ordering: .relaxed)
      }
      trial.expect(
        most.load(ordering: .relaxed), atMost: trial.workers, "jobs to run at a time afterwards")
    },
    Check("aWaitingJobHelpsItselfOnOneWorker", .seam(.help), on: .one) { trial in
      let scheduler = trial.makeScheduler()
      let children = Atomic<Int>(0)
      let parents = Atomic<Int>(0)
      let unhelped = Atomic<Int>(0)
      for _ in 0..<50 {
        scheduler.submit {
          let before = children.load(ordering: .relaxed)
          for _ in 0..<4 { scheduler.submit { children.add(1, ordering: .relaxed) } }
          // Nobody else can run them; other parents may be helped first and nest.
          while children.load(ordering: .relaxed) < before + 4, scheduler.help() {}
          if children.load(ordering: .relaxed) < before + 4 {
            unhelped.add(1, ordering: .relaxed)
          }
          parents.add(1, ordering: .relaxed)
        }
      }
      trial.eventually(equals: 50, "the number of jobs that helped and returned") {
        parents.load(ordering: .relaxed)
      }
      trial.eventually(equals: 200, "the number of jobs that they submitted and that ran") {
        children.load(ordering: .relaxed)
      }
      trial.expect(
        unhelped.load(ordering: .relaxed), equals: 0,
        "the number of jobs whose help() ran nothing while the jobs that they wait for were queued")
      expectCounted(\.helped, "scheduler.counters.helped", by: scheduler, trial)
    },
    Check("helpDoesNothingOnForeignThreads", .seam(.foreignThreads)) { trial in
      let scheduler = trial.makeScheduler()
      let done = Atomic<Int>(0)
      for _ in 0..<100 { scheduler.submit { done.add(1, ordering: .relaxed) } }
      trial.expect(!scheduler.help(), "!scheduler.help()")
      scheduler.willBlock()
      scheduler.didUnblock()
      trial.eventually(equals: 100, "the number of jobs that ran") { done.load(ordering: .relaxed) }
      let counters = scheduler.counters
      for (count, name) in [(counters.helped, "helped"), (counters.compensations, "compensations")]
      {
        // Who does not count says so, and is not asked.
        if let count { trial.expect(count, equals: 0, "scheduler.counters.\(name)") }
      }
    },
  ]
}

/// Takes down a failure when a scheduler that counts this has not counted it.
private func expectCounted(
  _ counter: KeyPath<SchedulerCounters, Int?>, _ name: String, by scheduler: any Scheduler,
  _ trial: Trial
) {
  // Who does not count says so, and is not asked.
  guard let count = scheduler.counters[keyPath: counter] else { return }
  trial.expect(count > 0, "\(name) to have grown, or to be nil if nobody counts", found: "\(count)")
}

/// Submits jobs that block, announced, until the last job of all has released them, and waits for
/// their end.
private func blockAndRelease(_ blockers: Int, on scheduler: any Scheduler, _ trial: Trial) {
  let gate = Turnstile()
  let done = Atomic<Int>(0)
  for _ in 0..<blockers {
    scheduler.submit {
      scheduler.willBlock()
      gate.wait()
      scheduler.didUnblock()
      done.add(1, ordering: .relaxed)
    }
  }
  // Runs last of all and opens the gate for those that block before it.
  scheduler.submit(band: .veryLow) { for _ in 0..<blockers { gate.signal() } }
  trial.eventually(equals: blockers, "the number of jobs that ran") {
    done.load(ordering: .relaxed)
  }
}
