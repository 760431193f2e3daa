// SPDX-License-Identifier: Apache-2.0

internal import History
internal import Results

/// Histories as objects for a script.
enum HistoryJSON {
  /// One object per series, with its points.
  static func series(_ all: [HistorySeries]) -> String {
    JSONValue.array(
      all.map { series in
        .object(
          head(of: series) + [
            ("points", .array(series.points.map(point)))
          ])
      }
    ).list
  }

  /// One object per series, with its changes.
  static func changes(_ all: [ScannedSeries]) -> String {
    JSONValue.array(
      all.map { scanned in
        .object(
          head(of: scanned.series) + [
            ("commits", .integer(scanned.series.points.count)),
            ("changes", .array(scanned.changes.map(change))),
          ])
      }
    ).list
  }

  private static func head(of series: HistorySeries) -> [(name: String, value: JSONValue)] {
    [
      ("machine_id", .string(series.key.machineID.text)), ("name", .string(series.name)),
      ("unit", .string(series.isExact ? series.key.subject.unit : "1")),
      ("direction", .string(series.key.subject.direction.rawValue)),
      ("exact", .boolean(series.isExact)), ("reference", .string(series.key.reference)),
    ]
  }

  private static func point(_ point: HistoryPoint) -> JSONValue {
    .object([
      ("commit", .string(point.commit)), ("committed", .string(point.committed.text)),
      ("figure", .number(point.figure)),
      ("ci_low", point.interval.map { .number($0.low) } ?? .null),
      ("ci_high", point.interval.map { .number($0.high) } ?? .null),
      ("pairs", .integer(point.pairs)), ("value", .number(point.value)),
      ("run_id", .string(point.runID.text)),
    ])
  }

  private static func change(_ change: HistoryChange) -> JSONValue {
    .object([
      ("before", .string(change.before.commit)), ("after", .string(change.after.commit)),
      ("ratio", change.ratio.map { .number($0) } ?? .null),
      ("p_value", change.pValue.map { .number($0) } ?? .null),
      ("worse", change.isWorse.map { .boolean($0) } ?? .null),
    ])
  }
}
