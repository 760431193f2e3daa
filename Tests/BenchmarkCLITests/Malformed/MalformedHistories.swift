// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import History
import Results
import TestFolders

extension MalformedInput {
  /// The lines of a sound history of three points.
  static let soundHistory: [String] = {
    var lines: [String] = []
    do {
      try TestDirectory.with { folder in
        let store = HistoryStore(folder: folder)
        _ = try store.append((1...3).map { HistorySamples.point($0) })
        let bytes = try File.read(store.path(of: HistorySamples.machine))
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      }
    } catch { fatalError("MalformedInput: \(error); expected a history") }
    return lines
  }()

  /// Histories: entries that are spoiled, and entries that do not fit together.
  static let histories: [MalformedInput] = {
    let lines = soundHistory
    let restore = "bring the line back from git, or remove it and add that run again"
    let otherReference = String(repeating: "a", count: 40)
    func spoiled(
      _ name: String, _ message: String, _ spoil: ([String]) -> String
    ) -> MalformedInput {
      MalformedInput(name, spoil(lines), message)
    }
    func cell(_ column: HistoryColumn, _ cell: String, _ message: String) -> MalformedInput {
      let place = HistoryColumn.allCases.firstIndex(of: column) ?? 0
      return MalformedInput(
        "\(column.rawValue) is \(cell)", lines.with(3, cell: place, cell).file,
        ":3: \(column.rawValue): " + message)
    }
    return [
      spoiled(
        "cut line",
        ":4: the last line is cut off; expected every line to end with a line feed; remove the "
          + "line and add that run again"
      ) { String($0.file.dropLast(30)) },
      spoiled(
        "line feed lost at the end",
        ":4: the last line is cut off; expected every line to end with a line feed; remove the "
          + "line and add that run again"
      ) { String($0.file.dropLast()) },
      spoiled(
        "a field too few",
        ":3: 19 fields; expected 20, as in the header; the line may be cut off: remove it and add "
          + "that run again"
      ) { [$0[0], $0[1], $0[2].split(separator: ",", maxSplits: 1)[1] + "", $0[3]].file },
      spoiled(
        "a field too many",
        ":3: 21 fields; expected 20, as in the header; the line may be cut off: remove it and add "
          + "that run again"
      ) { [$0[0], $0[1], $0[2] + ",", $0[3]].file },
      spoiled(
        "mark of a merge",
        ":2: a mark of a merge that is not settled; expected points alone; keep the lines of both "
          + "sides, sorted by their first column, and remove the marks"
      ) { [$0[0], "<<<<<<< HEAD", $0[1], "=======", $0[2], ">>>>>>> other"].file },
      spoiled(
        "wrong header",
        ":1: commit: \"revision\" in the header; expected \(HistoryColumn.header); bring the first "
          + "line back"
      ) { [$0[0].replacing("committed,commit,", with: "committed,revision,"), $0[1]].file },
      spoiled(
        "no header",
        ":1: added: \"2026-01-02T12:00:00Z\" in the header; expected \(HistoryColumn.header); "
          + "bring the first line back"
      ) { (Array($0.dropFirst())).file },
      spoiled(
        "empty file",
        ":1: an empty file; expected a header and points; remove the file, or bring it back from "
          + "git"
      ) { _ in "" },
      spoiled(
        "duplicate point",
        ":4: commit: the same series and commit as in line 3; expected each of them once; remove "
          + "one of the lines"
      ) { [$0[0], $0[1], $0[2], $0[2]].file },
      spoiled(
        "time backwards",
        ":3: added: 2026-01-02T12:00:00Z after 2026-01-03T00:00:00Z; expected lines in the order "
          + "in which they were added; sort the lines below the header by their first column"
      ) { [$0[0], $0[2], $0[1]].file },
      spoiled(
        "reference without a link",
        ":4: reference: the series against aaaaaaaaaa begins without a link to that against "
          + "6180120d52; expected the new reference, or the first commit measured against it, to "
          + "be a point of the earlier series; measure a commit of the earlier series against "
          + "the new reference first"
      ) { lines in
        (lines.dropLast() + [lines[3].replacing(HistorySamples.reference, with: otherReference)])
          .file
      },
      spoiled(
        "references mixed",
        ":5: reference: 6180120d52 again after aaaaaaaaaa; expected one reference after the other, "
          + "never mixed; remove the line, and add the commit measured against the later reference"
      ) { lines in
        // The link is the point of line 3, measured again against the other reference.
        let linked = lines[2].replacing(HistorySamples.reference, with: otherReference)
        return [lines[0], lines[1], lines[2], linked, lines[3]].file
      },
      spoiled(
        "carriage returns",
        ":1: a carriage return; expected lines ending in a line feed alone; convert the file"
      ) { ($0.map { $0 + "\r" }).file },
      cell(
        .commit, "HEAD", "\"HEAD\"; expected 40 hexadecimal digits; \(restore)"),
      cell(
        .reference, "", "empty; expected 40 hexadecimal digits; \(restore)"),
      cell(
        .machineID, "h:0000000000000000",
        "another machine, h:0000000000000000; expected h:3fa9c0d2e4b86a17; move the line to the "
          + "file of that machine"),
      cell(
        .ratio, "nan", "\"nan\"; expected a finite decimal number from 0 up; \(restore)"),
      cell(
        .ratio, "-1.02", "\"-1.02\"; expected a finite decimal number from 0 up; \(restore)"),
      cell(.ratio, "0", "0; expected a number above 0; \(restore)"),
      cell(
        .ratio, "", "empty; expected a finite decimal number from 0 up; \(restore)"),
      cell(
        .ciLow, "2",
        "2 to 1.01 around the ratio \"1.0\"; expected ci_low <= ratio <= ci_high; "
          + restore),
      cell(
        .ciHigh, "",
        "empty beside the others; expected ci_low, ci_high and ci_level, or none; \(restore)"),
      cell(.ciLevel, "95", "95; expected more than 0 and less than 1; \(restore)"),
      cell(.pairs, "0", "\"0\"; expected a whole number from 1 up; \(restore)"),
      cell(
        .added, "yesterday",
        "\"yesterday\"; expected a moment such as 2026-01-31T12:00:00Z; \(restore)"),
      cell(.metric, "speed", "\"speed\"; expected a metric of `bench schema`; \(restore)"),
      cell(
        .params, "workers:2;width:9",
        "\"workers:2;width:9\"; expected name:value joined by ; and sorted by name; \(restore)"),
      cell(
        .benchmark, "a/b", "\"a/b\"; expected one or more of A-Z a-z 0-9 _ -; \(restore)"),
      cell(
        .runID, "7", "\"7\"; expected 26 characters such as \(Column.runID.example); \(restore)"),
    ]
  }()
}
