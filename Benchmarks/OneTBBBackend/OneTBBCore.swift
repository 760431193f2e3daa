// SPDX-License-Identifier: Apache-2.0

#if OneTBB
  internal import COneTBBBackend
  internal import Scheduling

  /// What the scheduler and the tasks in flight share; the pool keeps it alive until the last of
  /// both is gone.
  final class OneTBBCore: Sendable {
    /// Successors that one task runs in place.
    private static let successorBound = 64

    let workerCount: Int
    private let pool: UInt

    init(workers: Int) {
      workerCount = workers
      pool = onetbb_pool_make(Int32(workers))
      // SAFETY: the reference belongs to the pool, which gives it back through the second function
      // when it ends.
      unsafe onetbb_pool_attach(
        pool, Unmanaged.passRetained(self).toOpaque(),
        { context, word, worker in
          guard let context = unsafe context, let job = unsafe Job(unsafeWord: word) else { return }
          // SAFETY: the pool holds a reference for as long as it calls.
          unsafe Unmanaged<OneTBBCore>.fromOpaque(context)._withUnsafeGuaranteedRef { core in
            core.run(job, worker: Int(worker))
          }
        },
        { context in
          guard let context = unsafe context else { return }
          // SAFETY: the pool's own reference, given back once.
          unsafe Unmanaged<OneTBBCore>.fromOpaque(context).release()
        })
    }

    var identity: SchedulerIdentity { SchedulerIdentity(object: self) }

    var counters: SchedulerCounters {
      var counters = SchedulerCounters()
      counters.helped = Int(onetbb_pool_helped(pool))
      counters.compensations = Int(onetbb_pool_compensations(pool))
      return counters
    }

    /// The scheduler object is gone; the pool ends when everything queued has run.
    func release() { onetbb_pool_release(pool) }

    func submit(_ jobs: consuming JobChain) {
      let count = jobs.count
      guard count > 0 else { return }
      while let job = jobs.popFirst() { onetbb_pool_queue(pool, job.word, job.band.rawValue) }
      if onetbb_pool_announce(pool, Int64(count)) == 0 { stopWithoutThread() }
    }

    func help() -> Bool { onetbb_pool_help(pool) != 0 }

    func willBlock() { if onetbb_pool_block(pool) == 0 { stopWithoutThread() } }

    private func stopWithoutThread() -> Never {
      fatalError(
        "OneTBBScheduler with \(workerCount) workers, of which all are blocked: jobs wait, no "
          + "thread can run them, and the system gave no other; expected one; raise its limit on "
          + "threads, or let fewer jobs wait at a time.")
    }

    func compensatePastLimit() -> Bool { onetbb_pool_compensate_past_limit(pool) != 0 }
    func didUnblock() { onetbb_pool_unblock(pool) }

    func shutDown() {
      guard onetbb_pool_wait(pool) != 0 else {
        fatalError(
          "OneTBBScheduler: shutDown() was called from one of its own jobs, which it would wait for; "
            + "call it from another thread, or just drop the scheduler.")
      }
    }

    /// Runs a job, and its successors for as long as they are the best.
    private func run(_ job: Job, worker: Int) {
      var context = WorkerContext(worker: worker, scheduler: identity)
      context.localBands = onetbb_pool_bands(pool)
      var current = job
      var left = Self.successorBound
      // SAFETY: the pool gives every word away once; successors are this loop's.
      while let successor = unsafe current.run(in: &context) {
        let band = successor.band.mask
        context.localBands = onetbb_pool_bands(pool)
        // What waits goes first unless it is less urgent; what has just become ready, only when it
        // is more urgent.
        let ahead = context.localBands & (band | band - 1) | context.ready.bands & (band - 1)
        guard ahead == 0, left > 0 else {
          context.ready.prepend(successor)
          break
        }
        submit(context.takeReady())
        left -= 1
        current = successor
      }
      submit(context.takeReady())
      context.prepareToIdle()
      // What the idle function made ready.
      submit(context.takeReady())
    }
  }
#endif
