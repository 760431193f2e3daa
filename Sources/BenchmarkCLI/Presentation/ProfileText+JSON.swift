// SPDX-License-Identifier: Apache-2.0

internal import Measurement
internal import Results
internal import Traces

extension ProfileText {
  /// Everything that the text says, as an object; times in nanoseconds.
  var json: String {
    var members: [(name: String, value: JSONValue)] = [
      ("benchmark", .string(benchmark)), ("parameters", .string(parameters)),
      ("profiles", .array(profiles.map(Self.value))),
    ]
    if let comparison { members.append(("comparison", comparison.json)) }
    if let difference { members.append(("difference", Self.value(difference))) }
    return JSONValue.object(members).document
  }

  private static func value(_ profile: Profile) -> JSONValue {
    var members: [(name: String, value: JSONValue)] = [
      ("scheduler", .string(profile.scheduler)),
      ("sentence", .string(profile.report.verdict.sentence)),
      ("perturbation", perturbation(profile)),
      ("operations", .integer(profile.trace.operations.count)),
      ("dependencies", .integer(profile.trace.edges.count)),
      ("droppedEvents", .integer(profile.trace.header.droppedEvents)),
      ("makespan", .integer(Int(profile.report.window.makespan))),
      (
        "phases",
        .object(
          LatencyBreakdown.Phase.allCases.map { phase in
            ("\(phase)", value(profile.report.latency.all[phase]))
          })
      ),
    ]
    if let times = profile.outcome?.threadTimes {
      members.append(
        (
          "threads",
          .array(ProfiledThread.all(times, profile.trace).map(\.value))
        ))
    }
    for profiler in StackProfiler.allCases {
      guard let stacks = profile.stacks[profiler] else { continue }
      members.append((profiler.rawValue, ProfileTables.json(stacks)))
    }
    if let graph = profile.report.graph {
      let causes = graph.causes.total
      members += [
        (
          "causes",
          isPerturbed(profile)
            ? .null
            : .object(WaitCause.allCases.map { ("\($0)", .integer(Int(causes[$0]))) })
        ),
        (
          "path",
          .object(
            RealisedPath.Part.allCases.map {
              ("\($0)", .integer(Int(graph.realisedPath[$0])))
            })
        ), ("work", .integer(Int(graph.workAndSpan.work))),
        ("span", .integer(Int(graph.workAndSpan.span))),
        ("projection", isPerturbed(profile) ? .null : value(graph.projection)),
        ("projectionCheck", profile.projectionCheck.map(value) ?? .null),
      ]
    }
    members += ProfileFindings(trace: profile.trace, report: profile.report).members
    return .object(members)
  }

  private static func perturbation(_ profile: Profile) -> JSONValue {
    guard let outcome = profile.outcome, let ratio = profile.perturbation else { return .null }
    return .object([
      ("ratio", .number(ratio.ratio)),
      ("low", ratio.interval.map { .number($0.low) } ?? .null),
      ("high", ratio.interval.map { .number($0.high) } ?? .null),
      ("pairs", .integer(outcome.pairs.count)),
    ])
  }

  private static func value(_ summary: PhaseSummary) -> JSONValue {
    func number(_ value: Int64?) -> JSONValue { value.map { .integer(Int($0)) } ?? .null }
    return .object([
      ("operations", .integer(summary.count)), ("total", number(summary.totalNanoseconds)),
      ("p50", number(summary.p50)), ("p90", number(summary.p90)), ("p99", number(summary.p99)),
      ("p999", number(summary.p999)), ("maximum", number(summary.maximum)),
    ])
  }

  private static func value(_ projection: Projection) -> JSONValue {
    .array(
      projection.points.map { point in
        .object([
          ("workers", .integer(point.workers)), ("bound", .integer(Int(point.bound))),
          ("scheduled", point.scheduled.map { .integer(Int($0)) } ?? .null),
        ])
      })
  }

  private static func value(_ check: ProjectionCheck) -> JSONValue {
    .object([
      ("workers", .integer(check.workers)), ("measured", .integer(Int(check.measured))),
      ("bound", .integer(Int(check.predicted))),
      ("scheduled", check.scheduled.map { .integer(Int($0)) } ?? .null),
      ("unburdened", check.unburdened.map { .integer(Int($0)) } ?? .null),
      ("speedUp", .number(check.speedUp)),
    ])
  }

  private static func value(_ difference: TraceDifference) -> JSONValue {
    .object([
      ("operations", .integer(difference.compared)),
      ("readyWait", .integer(Int(difference.readyWait))), ("run", .integer(Int(difference.run))),
      (
        "parting",
        difference.parting.map { parting in
          .object([
            ("common", .integer(parting.common)),
            ("first", parting.first.map { .integer(Int($0)) } ?? .null),
            ("second", parting.second.map { .integer(Int($0)) } ?? .null),
            ("shared", .integer(parting.shared)),
          ])
        } ?? .null
      ),
      (
        "largest",
        .array(
          difference.largest.map { row in
            .object([
              ("first", .integer(Int(row.first))), ("second", .integer(Int(row.second))),
              ("readyWait", .integer(Int(row.readyWait))), ("run", .integer(Int(row.run))),
            ])
          })
      ),
    ])
  }
}
