// SPDX-License-Identifier: Apache-2.0

internal import Harness

extension Planner {
  /// The plan of a comparison of two builds: each of the request's contestants with itself.
  ///
  /// What there is to compare is what this program knows; what one of the builds lacks,
  /// `ProgramSurvey` leaves out.
  /// - Parameters:
  ///   - base: the build that is side 0.
  ///   - candidate: the other one.
  ///   - freshSeed: used when the request names no seed.
  package func comparison(
    _ comparison: ComparisonRequest, of base: MeasuredProgram, and candidate: MeasuredProgram,
    freshSeed: UInt64
  ) throws(PlanError) -> ComparisonPlan {
    let (points, notes) = try groups()
    let programs = [base, candidate]
    let compared = points.flatMap { point in
      point.contestants.map { contestant in
        var own = point
        own.contestants = programs.map { program in
          var side = contestant
          side.code = program.code
          return side
        }
        return ComparisonGroup(own, executables: programs.map(\.executable))
      }
    }
    return try plan(
      comparison, of: compared, pairing: .lockStep, notes: notes, freshSeed: freshSeed)
  }
}
