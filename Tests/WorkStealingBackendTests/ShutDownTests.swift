// SPDX-License-Identifier: Apache-2.0

import Scheduling
import TestSupport
import Testing
import WorkStealingBackend

/// The end of pools that differ from those that the conformance kit is asked about.
@Suite(.serialized) struct ShutDownTests {
  static let tunings = [
    "compensation-limit:0", "compensation-limit:1", "spin-us:0", "local-order:fifo;steal-batch:8",
    "spin-us:1000;chain-bound:0;injector-interval:1",
  ]

  /// Of checks of the kit, those that apply: without compensation a job that announces that it
  /// blocks has the workers that are left.
  @Test(arguments: tunings, [2, 3, 8])
  func aJobThatRunsAtShutDownFindsTheWorkersThatItHad(tuning: String, workers: Int) throws {
    let settings = try #require(KnobSettings(canonical: tuning))
    let configuration = try WorkStealingConfiguration(settings)
    var options = SchedulerConformance.Options()
    options.workers = [workers]
    options.writesProgress = false
    options.timeLimit = .seconds(30)
    let checks = Check.ending.filter { $0.statements == [.seam(.shutDown)] }
    #expect(checks.count == 4)
    if configuration.compensationLimit < 8 {
      options.exceptions.append(.seam(.compensation, "it has a lower limit"))
    }
    let report = SchedulerConformance.run(checks, options) {
      WorkStealingScheduler(workers: $0, configuration: configuration)
    }
    #expect(report.isPassing, "\(report)")
  }

  @Test(arguments: [2, 3])
  func withoutCompensationAnAnnouncedBlockAtShutDownFindsTheOtherWorker(workers: Int) {
    var configuration = WorkStealingConfiguration()
    configuration.compensationLimit = 0
    for _ in 0..<50 {
      let scheduler = WorkStealingScheduler(workers: workers, configuration: configuration)
      let (closing, inner, outer) = (Flag(), Flag(), Flag())
      scheduler.submit {
        _ = waitUntil { closing.isSet }
        // The others look for jobs, and find none, in their own time.
        for _ in 0..<200 { yieldCore() }
        scheduler.submit { inner.set() }
        scheduler.willBlock()
        if waitUntil({ inner.isSet }) { outer.set() }
        scheduler.didUnblock()
      }
      closing.set()
      scheduler.shutDown()
      #expect(outer.isSet)
      guard outer.isSet else { return }
    }
  }
}
