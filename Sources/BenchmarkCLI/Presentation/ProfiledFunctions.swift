// SPDX-License-Identifier: Apache-2.0

internal import Measurement
internal import Results

/// What the programs of the system found on stacks, as tables and as JSON.
extension ProfileTables {
  /// How many functions are shown; the files have them all.
  private static let shownFunctions = 10
  /// How much of a name is shown, so that a line of the table keeps to the usual width.
  private static let shownCharacters = 56

  /// What stands above the functions.
  static func title(_ profiler: StackProfiler, _ stacks: StackProfile) -> String {
    switch profiler {
    case .processor: "where the processors were, in \(stacks.total) samples of runs of their own"
    case .heap:
      "who allocates, of \(mebibytes(stacks.total)) since the process began, in a run of its own"
    }
  }

  /// The functions with most of their own.
  static func functions(_ profiler: StackProfiler, _ stacks: StackProfile) -> TextTable {
    let amount = profiler == .heap ? "allocated" : "samples"
    var table = TextTable(columns: [("function", .left), (amount, .right), ("share", .right)])
    for share in stacks.heaviest(shownFunctions) {
      table.rows.append([
        .init(shortened(share.function)),
        .init(profiler == .heap ? mebibytes(share.own) : "\(share.own)"),
        .init(UnitFormatter.percent(Double(share.own) / Double(max(stacks.total, 1)))),
      ])
    }
    return table
  }

  /// The same for programs.
  static func json(_ stacks: StackProfile) -> JSONValue {
    .object([
      ("total", .integer(Int(clamping: stacks.total))),
      (
        "functions",
        .array(
          stacks.heaviest(shownFunctions).map { share in
            .object([
              ("function", .string(share.function)), ("own", .integer(Int(clamping: share.own))),
            ])
          })
      ),
    ])
  }

  private static func shortened(_ name: String) -> String {
    name.count <= shownCharacters ? name : name.prefix(shownCharacters - 1) + "…"
  }

  private static func mebibytes(_ bytes: UInt64) -> String {
    "\(UnitFormatter.significant(Double(bytes) / 1_048_576)) MiB"
  }
}
