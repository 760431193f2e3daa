// SPDX-License-Identifier: Apache-2.0

/// The documentation of results files, rendered from the registries themselves.
///
/// Pure functions; any thread. Every form ends with a line feed.
package enum SchemaText {
  /// Aligned tables of columns, metrics, statistics and quality words, for a person.
  package static func table() -> String {
    let columns = Column.allCases.map { column in
      [
        column.rawValue, column.kind.rawValue, column.mayBeEmpty ? "may be empty" : "required",
        column.example, column.summary,
      ]
    }
    let metrics = Metric.allCases.map { metric in
      [
        metric.rawValue, metric.unit, metric.direction.rawValue,
        metric.statistics.map(\.rawValue).joined(separator: " "), metric.summary,
      ]
    }
    let statistics = Statistic.allCases.map { [$0.rawValue, $0.summary] }
    return "Schema version \(Column.schemaVersion)\n\nColumns\n"
      + aligned([["column", "type", "empty", "example", "meaning"]] + columns)
      + "\nMetrics\n" + aligned([["metric", "unit", "better", "statistics", "meaning"]] + metrics)
      + "\nStatistics\n" + aligned([["stat", "meaning"]] + statistics)
      + "\nQuality words\n" + aligned([["word", "meaning"]] + qualityWords.map { [$0, $1] })
  }

  /// One line per column, metric, statistic and quality word: `kind,name,type,unit,direction,
  /// statistics,required,example,summary`, cells that do not apply empty.
  package static func csv() -> String {
    let head = [
      "kind", "name", "type", "unit", "direction", "statistics", "required", "example", "summary",
    ]
    let columns = Column.allCases.map { column in
      [
        "column", column.rawValue, column.kind.rawValue, "", "", "", column.mayBeEmpty ? "0" : "1",
        column.example, column.summary,
      ]
    }
    let metrics = Metric.allCases.map { metric in
      [
        "metric", metric.rawValue, "", metric.unit, metric.direction.rawValue,
        metric.statistics.map(\.rawValue).joined(separator: ";"), "", "", metric.summary,
      ]
    }
    let others =
      Statistic.allCases.map { ["stat", $0.rawValue, "", "", "", "", "", "", $0.summary] }
      + qualityWords.map { ["quality", $0, "", "", "", "", "", "", $1] }
    return ([head] + columns + metrics + others).map(csvLine).joined()
  }

  /// One object with the version and the arrays `columns`, `metrics`, `statistics` and `quality`.
  package static func json() -> String {
    let columns = Column.allCases.map { column in
      JSONText.object([
        ("name", JSONText.string(column.rawValue)),
        ("type", JSONText.string(column.kind.rawValue)),
        ("required", column.mayBeEmpty ? "false" : "true"),
        ("example", JSONText.string(column.example)),
        ("summary", JSONText.string(column.summary)),
      ])
    }
    let metrics = Metric.allCases.map { metric in
      JSONText.object([
        ("name", JSONText.string(metric.rawValue)),
        ("unit", JSONText.string(metric.unit)),
        ("direction", JSONText.string(metric.direction.rawValue)),
        ("statistics", JSONText.array(metric.statistics.map { JSONText.string($0.rawValue) })),
        ("summary", JSONText.string(metric.summary)),
      ])
    }
    let statistics = Statistic.allCases.map { named($0.rawValue, $0.summary) }
    let quality = qualityWords.map { named($0, $1) }
    return "{\n\"schema\": \(Column.schemaVersion),\n\"columns\": " + JSONText.lines(columns)
      + ",\n\"metrics\": " + JSONText.lines(metrics) + ",\n\"statistics\": "
      + JSONText.lines(statistics) + ",\n\"quality\": " + JSONText.lines(quality) + "}\n"
  }

  /// The words of the quality column with their meanings, in their order.
  private static var qualityWords: [(String, String)] {
    let unavailable = QualityFlag.unavailable(reason: "reason")
    return [("ok", "nothing to remark")]
      + QualityFlag.plain.map { ($0.word, $0.flag.summary) }
      + [("unavailable:<reason>", unavailable.summary)]
  }

  private static func named(_ name: String, _ summary: String) -> String {
    JSONText.object([("name", JSONText.string(name)), ("summary", JSONText.string(summary))])
  }

  /// Pads every cell but the last of its line to the widest of its column.
  private static func aligned(_ rows: [[String]]) -> String {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = row.enumerated().map { index, cell in
        index == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[index] - cell.count)
      }
      return "  " + cells.joined(separator: "  ") + "\n"
    }.joined()
  }
}
