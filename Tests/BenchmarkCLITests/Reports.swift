// SPDX-License-Identifier: Apache-2.0

import Analysis
import Harness
import Measurement
import MeasurementFixtures
import Results

@testable import BenchmarkCLI

/// Reports of runs with figures that tests make up.
enum Reports {
  /// The report of a run that has just ended.
  static func live(
    _ plan: MeasurementPlan, _ runner: FakeRunner, suite: Suite = Fixtures.suite,
    disturbance: String? = nil
  ) -> Report {
    let record = Orchestrator(plan: plan, runner: runner).run()
    let writer = Fixtures.writer()
    return Report(
      Analysis(rows: writer.rows(record), roster: Roster(suite)),
      context: ReportContext(record, writer: writer, disturbance: disturbance))
  }
}
