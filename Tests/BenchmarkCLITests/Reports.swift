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
    of(
      Orchestrator(plan: plan, runner: runner).run(), suite: suite, disturbance: disturbance)
  }

  /// The report of what a run has measured.
  static func of(_ record: RunRecord, suite: Suite = Fixtures.suite, disturbance: String? = nil)
    -> Report
  {
    let writer = Fixtures.writer()
    return Report(
      Analysis(rows: writer.rows(record), roster: Roster(suite)),
      context: ReportContext(record, writer: writer, disturbance: disturbance))
  }
}
