// SPDX-License-Identifier: Apache-2.0

internal import Harness

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
          .init(RowWriter.params(of: contestant, in: group).text),
        ])
      }
    }
    let lines =
      plan.facts + table.lines(style: .plain) + [
        "",
        "\(RunText.rounds(plan.rounds)), \(RunText.processes(plan.childCount)), seed \(plan.seed), "
          + "\(UnitFormatter.duration(plan.budget)) to measure",
        PlanEstimate(plan: plan).text,
      ] + plan.notes
    return lines.joined(separator: "\n") + "\n"
  }
}
