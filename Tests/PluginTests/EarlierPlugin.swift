// SPDX-License-Identifier: Apache-2.0

/// A user's package as it was written while all of the seam was one protocol: it compiles, with
/// deprecations at most.
///
/// Not to be kept up with the seam; that it stays as it is makes it a test. One thing was changed
/// since, by intent: chains could be copied then, and so lie in an array.
enum EarlierPlugin {
  /// The scheduler of the guide of that time, and one that has a method for everything that could
  /// be asked.
  static let source = """
    import BenchmarkSuite
    import Foundation
    import Scheduling
    import Synchronization
    import WorkStealingBackend

    /// Threads that share a list of jobs for each band, most urgent first.
    final class MyScheduler: Scheduler {
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

      /// What the threads hold until the last job has run, also when the scheduler is dropped.
      private final class Core: Sendable {
        let threads = DispatchGroup()
        /// One signal for each job, and in the end one for each thread.
        private let signals = DispatchSemaphore(value: 0)
        private let list = Mutex(List())
        private let workers: Int

        private struct List: ~Copyable {
          /// One for each band.
          var bands = InlineArray<5, JobChain> { _ in JobChain() }
          /// Jobs that wait or run.
          var unfinished = 0
          var isClosed = false
        }

        init(workers: Int) { self.workers = workers }

        func submit(_ jobs: consuming JobChain) {
          var added = jobs
          let count = added.count
          list.withLock { list in
            list.unfinished += count
            while let job = added.popFirst() { list.bands[Int(job.band.rawValue)].append(job) }
          }
          for _ in 0..<count { signals.signal() }
        }

        /// No thread ends while a job runs, which may submit others and wait for them.
        func close() { endIfQuiet { $0.isClosed = true } }

        /// A thread that gets a signal and no job ends.
        private func endIfQuiet(_ change: (inout List) -> Void) {
          let isQuiet = list.withLock { list in
            change(&list)
            return list.isClosed && list.unfinished == 0
          }
          if isQuiet { for _ in 0..<workers { signals.signal() } }
        }

        func work(as worker: Int) {
          var context = WorkerContext(worker: worker, scheduler: SchedulerIdentity(object: self))
          while let job = next() {
            // Bound 0: a successor is queued like any other job, behind what is more urgent.
            unsafe context.runToCompletion(job, bound: 0) { submit($0) }
            endIfQuiet { $0.unfinished -= 1 }
          }
          threads.leave()
        }

        private func next() -> Job? {
          signals.wait()
          return list.withLock { list in
            let band = list.bands.indices.first { !list.bands[$0].isEmpty }
            return band.flatMap { list.bands[$0].popFirst() }
          }
        }
      }
    }

    /// Passes on everything that the protocol could ask then.
    final class WholeScheduler: Scheduler {
      private let inner: WorkStealingScheduler

      init(workers: Int) { inner = WorkStealingScheduler(workers: workers) }

      var identity: SchedulerIdentity { inner.identity }
      var workerCount: Int { inner.workerCount }
      func submit(_ jobs: consuming JobChain) { inner.submit(jobs) }
      func submitAwaited(_ jobs: consuming JobChain) { inner.submitAwaited(jobs) }
      func helpAwaited(ifAccepted accepts: (Job) -> Bool) -> Bool {
        inner.helpAwaited(ifAccepted: accepts)
      }
      func help() -> Bool { inner.help() }
      var waitsByHelping: Bool { false }
      func withdraw(where accepts: (Job) -> Bool) -> JobChain { inner.withdraw(where: accepts) }
      func offer(_ job: Job) -> Bool { inner.offer(job) }
      func takeBack(_ job: Job) -> Bool { inner.takeBack(job) }
      func help(
        worker: Int, in band: PriorityBand, wants: (Job) -> Bool, use: (Job) -> StolenJobUse
      ) -> Bool {
        inner.help(worker: worker, in: band, wants: wants, use: use)
      }
      func willBlock() { inner.willBlock() }
      func compensatePastLimit() -> Bool { inner.compensatePastLimit() }
      func didUnblock() { inner.didUnblock() }
      func shutDown() { inner.shutDown() }
      var counters: SchedulerCounters {
        var counters = SchedulerCounters()
        counters.parks = 1
        counters.wakeUps = 2
        counters.steals = 3
        counters.lostRaces = 4
        counters.helped = 5
        counters.compensations = 6
        return counters
      }
    }

    @main struct Earlier {
      static func main() {
        BenchmarkSuite.main(adding: [
          ("mine", { MyScheduler(workers: $0) }), ("whole", { WholeScheduler(workers: $0) }),
        ])
      }
    }

    """
}
