// SPDX-License-Identifier: Apache-2.0

import Measurement
import MeasurementFixtures
import Results

@testable import Analysis

/// Runs with figures that tests make up, as far as their analysis.
enum Runs {
  /// What the suite of the fixtures knows of its systems.
  static let roster = Roster([
    ("inline", .init(isSerialBaseline: true, keepsWorkers: true)), ("dispatch", .init()),
    ("work-stealing", .init()),
    ("foundation", .init(isReference: true, caveat: "its own operations")),
  ])

  /// The rows of a run of the plan, as they are written.
  static func rows(of plan: MeasurementPlan, _ runner: FakeRunner) -> [ResultRow] {
    Fixtures.writer().rows(Orchestrator(plan: plan, runner: runner).run())
  }

  /// What they say.
  static func analysis(
    of plan: MeasurementPlan, _ runner: FakeRunner, roster: Roster = Self.roster
  ) -> Analysis { Analysis(rows: rows(of: plan, runner), roster: roster) }
}
