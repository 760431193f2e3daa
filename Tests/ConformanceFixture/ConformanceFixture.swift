// SPDX-License-Identifier: Apache-2.0

import DispatchBackend
import Glibc
import SchedulerConformance
import Scheduling
import ThreadPoolBackend
import WorkStealingBackend

#if OneTBB
  import OneTBBBackend
#endif

/// Runs the kit on the scheduler that the first argument names, as its author would: the report,
/// and 1 when it fails.
@main struct ConformanceFixture {
  static func main() {
    let name = CommandLine.arguments.dropFirst().first ?? ""
    guard let makeScheduler = factory(name) else {
      print(
        "no scheduler \"\(name)\"; expected dispatch, thread-pool, work-stealing, inline, mine, drowsy or repeating"
      )
      exit(64)
    }
    var options = SchedulerConformance.Options()
    options.name = name
    options.faultProgram.arguments = [name]
    if name == "mine" {
      // Hung checks are none of its findings, and a busy machine may take its time.
      options.exceptions = [
        .seam(.compensation, "a blocked job blocks its thread"),
        .seam(.help, "a job that waits runs no other"),
      ]
    } else {
      options.timeLimit = .seconds(2)
    }
    let report = SchedulerConformance.run(options, makeScheduler: makeScheduler)
    print(report)
    exit(report.isPassing ? 0 : 1)
  }

  private static func factory(_ name: String) -> (@Sendable (Int) -> any Scheduler)? {
    switch name {
    case "dispatch": { DispatchScheduler(workers: $0) }
    case "thread-pool": { ThreadPoolScheduler(workers: $0) }
    case "work-stealing": { WorkStealingScheduler(workers: $0) }
    #if OneTBB
      case "onetbb": { OneTBBScheduler(workers: $0) }
    #endif
    case "inline": { _ in InlineScheduler() }
    case "mine": { MyScheduler(workers: $0) }
    case "drowsy": { _ in DrowsyScheduler() }
    case "repeating": { _ in RepeatingScheduler() }
    default: nil
    }
  }
}
