// SPDX-License-Identifier: Apache-2.0

import Harness
import Testing

@testable import BenchmarkCLI

@Suite struct ReportTests {
  private func report(
    _ runner: FakeRunner, change: (inout RunRequest) -> Void = { _ in }
  ) throws -> Report {
    let plan = try Fixtures.plan(change, freshSeed: 7)
    let record = Orchestrator(plan: plan, runner: runner).run()
    return Report(
      results: GroupResult.all(record), rounds: record.completeRounds, seed: plan.seed)
  }

  @Test func p() throws {
    let report1 = try report(
      .steady(["inline": 100, "dispatch": 2000, "work-stealing": 100.1, "foundation": 5000])
    ) { $0.references = ["foundation"] }
    print(report1.text(style: .plain))
    print(report1.markdown)
    let r2 = try report(
      FakeRunner { a, index in
        a.name == "dispatch"
          ? .init(failure: .crashed(.signalled(11), standardError: ""))
          : Fixtures.outcome(
            wall: [Double(index) + 10], latencies: (1...200).map { $0 * 1000 + UInt64(index) })
      }
    ) {
      $0.processes = 3; $0.workloadNames = ["latency"]
    }
    print(r2.text(style: .plain))
  }
}
