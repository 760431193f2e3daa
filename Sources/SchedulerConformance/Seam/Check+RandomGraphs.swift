// SPDX-License-Identifier: Apache-2.0

internal import ConcurrencyPrimitives
internal import Scheduling
internal import Synchronization

extension Check {
  /// Thousands of small random graphs: every job runs once, after all its parents, and nothing is
  /// left alive.
  static let randomGraphs: [Check] = [
    Check("everyJobRunsOnceAfterItsParents", .seam(.publication, .visibility)) { trial in
      let lifetimes = LifetimeCounter()
      let graphs = 2_000
      let scheduler = trial.makeScheduler()
      for seed in 0..<UInt64(graphs) {
        let graph = RandomJobGraph(seed: seed, scheduler: scheduler, lifetimes: lifetimes)
        graph.submitRoots()
        // Every few graphs without waiting, so that several are in flight.
        if seed % 8 == 0 {
          guard trial.waitUntil({ graph.isFinished }) else {
            trial.fail(
              "the graph of seed \(seed) to finish", found: "jobs left after \(trial.patience)")
            return
          }
        }
      }
      trial.eventually(equals: 0, "the number of graphs that are left") { lifetimes.live }
    },
    Check("graphsOfSeveralThreadsShareAScheduler", .seam(.publication, .visibility)) { trial in
      let lifetimes = LifetimeCounter()
      let scheduler = trial.makeScheduler()
      let unfinished = Atomic<Int>(0)
      onThreads(3) { thread in
        for seed in 0..<300 {
          let graph = RandomJobGraph(
            seed: UInt64(100_000 * (thread + 1) + seed), scheduler: scheduler, lifetimes: lifetimes)
          graph.submitRoots()
          if !trial.waitUntil({ graph.isFinished }) { unfinished.add(1, ordering: .relaxed) }
        }
      }
      trial.expect(
        unfinished.load(ordering: .relaxed), equals: 0, "the number of graphs that did not finish")
      trial.eventually(equals: 0, "the number of graphs that are left") { lifetimes.live }
    },
  ]
}
