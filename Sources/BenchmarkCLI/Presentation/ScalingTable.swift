// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import Statistics

/// What more workers give, beside what the machine gives to as many threads that only compute.
struct ScalingTable {
  let results: [ScalingResult]
  /// Work of so many spinning threads over the work of one; empty where nobody measured it, as for
  /// a stored run.
  let threadSpeedups: [Int: Double]

  static let heading = "scaling"

  /// A row for each number of workers after the fewest.
  var table: TextTable {
    var columns: [(heading: String, alignment: TextTable.Alignment)] = [
      ("", .left), ("workers", .right), ("speed-up", .right), ("95 %", .left),
      ("efficiency", .right),
    ]
    if !threadSpeedups.isEmpty { columns.append(("machine", .right)) }
    var table = TextTable(columns: columns)
    for result in results {
      for point in result.points {
        let interval = point.speedup.interval.map {
          "\(UnitFormatter.significant($0.low)) to \(UnitFormatter.significant($0.high))"
        }
        var row: [TextTable.Cell] = [
          .init("\(result.benchmark), \(result.label), \(result.kind.rawValue)"),
          .init("\(result.base) to \(point.workers)"),
          .init(UnitFormatter.significant(point.speedup.ratio)),
          .init(interval ?? "too few rounds"),
          .init(UnitFormatter.percent(result.efficiency(point))),
        ]
        if !threadSpeedups.isEmpty {
          row.append(.init(machine(result, point).map { UnitFormatter.percent($0) } ?? ""))
        }
        table.rows.append(row)
      }
    }
    return table
  }

  /// What the same efficiency is of threads that only compute.
  private func machine(_ result: ScalingResult, _ point: ScalingResult.Point) -> Double? {
    guard let most = threadSpeedups[point.workers] else { return nil }
    let least = result.base == 1 ? 1 : threadSpeedups[result.base]
    return least.map { most / $0 * Double(result.base) / Double(point.workers) }
  }

  /// What to know of the table, one sentence each.
  var remarks: [String] {
    let limits = threadSpeedups.sorted { $0.key < $1.key }.filter {
      $0.value < Self.whole * Double($0.key)
    }
    return [
      "speed-up: by how much the time per operation shrinks, round by round; efficiency: its share "
        + "of what as many workers could give."
    ]
      + limits.map { threads, speedup in
        "\(threads) threads that only compute did \(UnitFormatter.significant(speedup)) times the "
          + "work of one: what is missing to \(threads) is the machine's limit, not a scheduler's."
      }
  }

  /// A machine that gives threads less than so much of what their number promises limits them.
  private static let whole = 0.9
}
