// SPDX-License-Identifier: Apache-2.0

internal import Measurement
internal import Statistics

/// What `compare --dry-run` prints: everything that would be measured.
struct ComparisonPlanText {
  let plan: ComparisonPlan

  /// How much there is to do, in a few words.
  var summary: String {
    let verdicts = plan.verdictCount
    let pairs =
      switch plan.pairs {
      case .exactly(let count): "\(count) pairs each"
      case .fitting(let bounds): "\(bounds.lowerBound) to \(bounds.upperBound) pairs each"
      case .standard:
        SequentialDesign.standard.looks.map(String.init).joined(separator: ", ") + " pairs at most"
      }
    return "\(verdicts) verdict\(verdicts == 1 ? "" : "s"), \(pairs)"
  }

  /// One row per side, then the sums.
  var text: String {
    var table = TextTable(columns: [
      ("benchmark", .left), ("role", .left), ("scheduler", .left), ("params", .left),
    ])
    table.indent = 0
    for group in plan.groups {
      for (side, contestant) in group.point.contestants.enumerated() {
        table.rows.append([
          .init(group.point.benchmark), .init(side == 0 ? "base" : "candidate"),
          .init(contestant.name), .init(group.point.rowParameters(of: contestant).text),
        ])
      }
    }
    let lines =
      table.lines(style: .plain) + [
        "",
        "\(summary), seed \(plan.seed), \(UnitFormatter.duration(plan.budget)) to measure",
        "estimate: \(estimate)",
      ] + plan.notes.map(\.text)
    return lines.joined(separator: "\n") + "\n"
  }

  private var estimate: String {
    func time(_ seconds: Double) -> String { UnitFormatter.text(seconds * 1e9, unit: "ns") }
    let least = ComparisonEstimate(plan: plan)
    switch plan.pairs {
    case .exactly, .fitting: return "about \(time(least.seconds))"
    case .standard:
      return "\(time(least.firstLookSeconds)) when every comparison is settled at its first look, "
        + "\(time(least.seconds)) at most"
    }
  }
}
