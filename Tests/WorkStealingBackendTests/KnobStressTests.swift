// SPDX-License-Identifier: Apache-2.0

import Scheduling
import TestSupport
import Testing
import WorkStealingBackend

/// Random graphs on pools whose knobs are far from their defaults.
@Suite struct KnobStressTests {
  static let tunings = [
    "local-order:fifo;steal-batch:8",
    "priority:none;spin-us:0;steal-batch:3",
    "local-order:fifo;priority:relaxed;spin-us:50",
    "ageing-interval:0;chain-bound:0;pin:spread;steal-batch:256;steal-order:nearest-first",
    "ageing-interval:1;compensation-limit:0;injector-interval:1;pin:compact;priority:none",
  ]

  @Test(arguments: tunings, [2, 8])
  func everyJobRunsOnceAfterItsParents(tuning: String, workers: Int) throws {
    let settings = try #require(KnobSettings(canonical: tuning))
    let configuration = try WorkStealingConfiguration(settings)
    let scheduler = WorkStealingScheduler(workers: workers, configuration: configuration)
    for seed in 1...StressSize.graphs / 4 {
      let graph = RandomGraph(seed: UInt64(seed), scheduler: scheduler)
      graph.run()
      let isDone = waitUntil { graph.finished == graph.count }
      #expect(isDone, "seed \(seed), \(graph.finished) of \(graph.count) jobs ran")
      #expect(graph.faults == 0, "seed \(seed): a job started before a parent, or twice")
      guard isDone else { return }
    }
    scheduler.shutDown()
  }
}
