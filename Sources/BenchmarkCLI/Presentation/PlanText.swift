// SPDX-License-Identifier: Apache-2.0

internal import Measurement

/// What `--dry-run` prints: everything that would be measured.
struct PlanText {
  let plan: MeasurementPlan

  /// One row per contestant, then the sums.
  var text: String {
    var table = TextTable(columns: [
      ("benchmark", .left), ("scheduler", .left), ("params", .left),
    ])
    table.indent = 0
    for group in plan.groups {
      for contestant in group.contestants {
        table.rows.append([
          .init(group.benchmark), .init(contestant.name),
          .init(group.rowParameters(of: contestant).text),
        ])
      }
    }
    let lines =
      plan.factLines + table.lines(style: .plain) + [
        "",
        "\(RunText.rounds(plan.rounds)), \(RunText.processes(plan.childCount)), seed \(plan.seed), "
          + "\(UnitFormatter.duration(plan.budget)) to measure",
        Self.text(PlanEstimate(plan: plan)),
      ] + plan.notes.map(\.text)
    return lines.joined(separator: "\n") + "\n"
  }

  private static func text(_ estimate: PlanEstimate) -> String {
    func time(_ seconds: Double) -> String { UnitFormatter.text(seconds * 1e9, unit: "ns") }
    let round = "of at least \(time(estimate.roundSeconds))"
    let whole = "estimate: about \(time(estimate.seconds))"
    return estimate.rounds > 0
      ? "\(whole) for \(RunText.rounds(estimate.rounds)) \(round)"
      : "\(whole), in which no round \(round) ends"
  }
}
