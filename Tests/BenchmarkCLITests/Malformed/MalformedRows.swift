// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Results

extension MalformedInput {
  /// The lines of a sound results file.
  static let soundRows = SampleRows.text().split(separator: "\n").map(String.init)

  /// Results files with one cell spoiled.
  static let cells: [MalformedInput] = {
    let lines = soundRows
    func cell(
      _ line: Int, _ column: Column, _ cell: String, _ message: String...
    ) -> MalformedInput {
      MalformedInput(
        "\(column.rawValue) in line \(line) is \(cell)",
        lines.with(line, cell: column.index, cell).file, ":\(line): " + message.joined())
    }
    let words =
      "ok, or without repetition " + QualityFlag.plain.map(\.word).joined(separator: ", ")
      + ", unavailable:<reason>"
    return [
      cell(
        2, .schema, "6",
        "schema: version 6; expected version 1 to 5; read it with a `bench` whose `schema` ",
        "lists that version"),
      cell(
        2, .schema, "0",
        "schema: version 0; expected version 1 to 5; read it with a `bench` whose `schema` ",
        "lists that version"),
      cell(
        2, .schema, "one",
        "schema: \"one\"; expected a whole number; see `bench schema`"),
      cell(
        2, .schema, "",
        "schema: empty; expected a whole number; see `bench schema`"),
      cell(
        3, .time, "2026-01-31 12:00:00",
        "time: \"2026-01-31 12:00:00\"; expected a moment such as 2026-01-31T12:00:00Z; see ",
        "`bench schema`"),
      cell(
        3, .time, "2026-02-29T12:00:00Z",
        "time: \"2026-02-29T12:00:00Z\"; expected a moment such as 2026-01-31T12:00:00Z; see ",
        "`bench schema`"),
      cell(
        4, .time, "2026-01-31T12:00:01Z",
        "time: \"2026-01-31T12:00:01Z\"; expected \"2026-01-31T12:00:00Z\" as in line 2; keep ",
        "one run per file"),
      cell(
        4, .runID, "01KG9RKVG0T5Z0N9QX3W7B4E2",
        "run_id: \"01KG9RKVG0T5Z0N9QX3W7B4E2\"; expected 26 characters such as ",
        "01KG9RKVG0T5Z0N9QX3W7B4E2M; see `bench schema`"),
      cell(
        4, .runID, "01KG9RKVG0T5Z0N9QX3W7B4E2U",
        "run_id: \"01KG9RKVG0T5Z0N9QX3W7B4E2U\"; expected 26 characters such as ",
        "01KG9RKVG0T5Z0N9QX3W7B4E2M; see `bench schema`"),
      cell(
        11, .runID, "01KG9RKVG0T5Z0N9QX3W7B4E2N",
        "run_id: \"01KG9RKVG0T5Z0N9QX3W7B4E2N\"; expected \"01KG9RKVG0T5Z0N9QX3W7B4E2M\" as in ",
        "line 2; keep one run per file"),
      cell(
        2, .commit, "6180120",
        "commit: \"6180120\"; expected 40 hexadecimal digits, or nothing; see `bench schema`"),
      cell(
        2, .commit, "6180120D52A1B7C0C9A7C3E1F00D5EED2B0A4C11",
        "commit: \"6180120D52A1B7C0C9A7C3E1F00D5EED2B0A4C11\"; expected 40 hexadecimal digits, ",
        "or nothing; see `bench schema`"),
      cell(
        2, .binary, "b:12",
        "binary: \"b:12\"; expected a hash such as b:85944171f73967e8, or nothing; see `bench ",
        "schema`"),
      cell(
        2, .binary, "85944171f73967e8",
        "binary: \"85944171f73967e8\"; expected a hash such as b:85944171f73967e8, or nothing; ",
        "see `bench schema`"),
      cell(
        5, .dirty, "true",
        "dirty: \"true\"; expected 0, 1 or nothing; see `bench schema`"),
      cell(
        5, .machineID, "3fa9c0d2e4b86a17",
        "machine_id: \"3fa9c0d2e4b86a17\"; expected an id such as h:3fa9c0d2e4b86a17; see ",
        "`bench schema`"),
      cell(
        5, .machineID, "",
        "machine_id: empty; expected an id such as h:3fa9c0d2e4b86a17; see `bench schema`"),
      cell(
        2, .suite, "my suite",
        "suite: \"my suite\"; expected one or more of A-Z a-z 0-9 _ -; see `bench schema`"),
      cell(
        2, .benchmark, "fan.out",
        "benchmark: \"fan.out\"; expected one or more of A-Z a-z 0-9 _ -; see `bench schema`"),
      cell(
        2, .benchmark, "",
        "benchmark: empty; expected one or more of A-Z a-z 0-9 _ -; see `bench schema`"),
      cell(
        2, .params, "width:1000;rounds:200",
        "params: \"width:1000;rounds:200\"; expected name:value joined by ; and sorted by name, ",
        "each name once; sort them, and keep to A-Za-z0-9_- and in values . and +"),
      cell(
        2, .params, "width=1000",
        "params: \"width=1000\"; expected name:value joined by ; and sorted by name, each name ",
        "once; sort them, and keep to A-Za-z0-9_- and in values . and +"),
      cell(
        2, .params, "n:1;n:2",
        "params: \"n:1;n:2\"; expected name:value joined by ; and sorted by name, each name ",
        "once; sort them, and keep to A-Za-z0-9_- and in values . and +"),
      cell(
        2, .params, "n:1;",
        "params: \"n:1;\"; expected name:value joined by ; and sorted by name, each name once; ",
        "sort them, and keep to A-Za-z0-9_- and in values . and +"),
      cell(
        2, .scheduler, "",
        "scheduler: empty; expected one or more of A-Z a-z 0-9 _ -; see `bench schema`"),
      cell(
        2, .allocator, "je malloc",
        "allocator: \"je malloc\"; expected one or more of A-Z a-z 0-9 _ -; see `bench schema`"),
      cell(
        2, .metric, "walls",
        "metric: \"walls\"; expected a metric of the registry, or a name that begins with x-; ",
        "see `bench schema`"),
      cell(
        2, .stat, "p95",
        "stat: \"p95\"; expected one of p50, p90, p99, p99.9, min, max, mean, ratio; see `bench ",
        "schema`"),
      cell(
        2, .stat, "p99",
        "stat: \"p99\" of wall; expected one of p50, min, max, mean, ratio; see `bench schema`"),
      cell(
        2, .unit, "us/op",
        "unit: \"us/op\"; expected ns/op, which belongs to wall p50; see `bench schema`"),
      cell(
        2, .direction, "higher",
        "direction: \"higher\"; expected lower, which belongs to wall p50; see `bench schema`"),
      cell(
        2, .value, "431;25",
        "value: \"431;25\"; expected a finite decimal number with a point, or nothing; see ",
        "`bench schema`"),
      cell(
        2, .value, "nan",
        "value: \"nan\"; expected a finite decimal number with a point, or nothing; see `bench ",
        "schema`"),
      cell(
        2, .value, "+431",
        "value: \"+431\"; expected a finite decimal number with a point, or nothing; see `bench ",
        "schema`"),
      cell(
        2, .value, "0x1p3",
        "value: \"0x1p3\"; expected a finite decimal number with a point, or nothing; see ",
        "`bench schema`"),
      cell(
        2, .value, "1e999",
        "value: \"1e999\"; expected a finite decimal number with a point, or nothing; see ",
        "`bench schema`"),
      cell(
        11, .value, "-1.0",
        "value: -1.0; expected 0 or more; measure again, or correct the cell"),
      cell(
        2, .value, "",
        "value: empty for wall p50 with quality ok; expected a figure, or a quality that says ",
        "why there is none; measure again, or correct the cell"),
      cell(
        2, .value, "400.0",
        "ci_low: value 400.0 outside; expected ci_low <= value <= ci_high; measure again, or ",
        "correct the cell"),
      cell(
        2, .value, "500.0",
        "ci_high: value 500.0 outside; expected ci_low <= value <= ci_high; measure again, or ",
        "correct the cell"),
      cell(
        2, .ciLow, "435.0",
        "ci_low: 435.0 above ci_high 434.0; expected at most ci_high; exchange the bounds"),
      cell(
        2, .ciHigh, "",
        "ci_high: empty beside a ci_low; expected ci_low, ci_high and ci_level, or none; fill ",
        "or empty all three"),
      cell(
        2, .ciLevel, "",
        "ci_level: empty beside a ci_low; expected ci_low, ci_high and ci_level, or none; fill ",
        "or empty all three"),
      cell(
        2, .ciLevel, "95.0",
        "ci_level: 95.0; expected more than 0 and less than 1, such as 0.95; write a fraction"),
      cell(
        7, .value, "12.5",
        "value: \"12.5\" beside quality debug;crashed; expected an empty cell, since the ",
        "measurement failed; empty it, or correct the quality"),
      cell(
        7, .quality, "debug",
        "value: empty for wall p50 with quality debug; expected a figure, or a quality that ",
        "says why there is none; measure again, or correct the cell"),
      cell(
        2, .nProc, "-2",
        "n_proc: \"-2\"; expected a whole number of 1 or more, or nothing; see `bench schema`"),
      cell(
        2, .nIter, "6e1",
        "n_iter: \"6e1\"; expected a whole number of 1 or more, or nothing; see `bench schema`"),
      cell(
        2, .nOp, "012",
        "n_op: \"012\"; expected a whole number of 1 or more, or nothing; see `bench schema`"),
      cell(
        2, .nProc, "0",
        "n_proc: \"0\"; expected a whole number of 1 or more, or nothing; see `bench schema`"),
      cell(
        2, .nIter, "0",
        "n_iter: \"0\"; expected a whole number of 1 or more, or nothing; see `bench schema`"),
      cell(
        2, .nOp, "0",
        "n_op: \"0\"; expected a whole number of 1 or more, or nothing; see `bench schema`"),
      cell(
        3, .process, "first",
        "process: \"first\"; expected a whole number of 1 or more, or nothing; see `bench ",
        "schema`"),
      cell(
        4, .process, "0",
        "process: \"0\"; expected a whole number of 1 or more, or nothing; see `bench schema`"),
      cell(
        9, .role, "C",
        "role: \"C\"; expected one of A, B; see `bench schema`"),
      cell(
        10, .pairID, "1.5",
        "pair_id: \"1.5\"; expected a whole number of 0 or more, or nothing; see `bench schema`"),
      cell(
        9, .design, "looks:20",
        "design: \"looks:20\"; expected beside a ratio, a plan such as ",
        "equivalence:0.03;looks:20+40+80;pairing:alternating;tolerance:0.01; see `bench schema`"),
      cell(
        9, .design, "equivalence:0.03;looks:20+30;pairing:alternating;tolerance:0.01",
        "design: \"equivalence:0.03;looks:20+30;pairing:alternating;tolerance:0…\"; expected ",
        "beside a ratio, a plan such as ",
        "equivalence:0.03;looks:20+40+80;pairing:alternating;tolerance:0.01; see `bench schema`"),
      cell(
        9, .design, "equivalence:0.01;looks:20;pairing:alternating;tolerance:0.03",
        "design: \"equivalence:0.01;looks:20;pairing:alternating;tolerance:0.03\"; expected ",
        "beside a ratio, a plan such as ",
        "equivalence:0.03;looks:20+40+80;pairing:alternating;tolerance:0.01; see `bench schema`"),
      cell(
        2, .design, Column.design.example,
        "design: \"equivalence:0.03;looks:20+40+80;pairing:alternating;toleranc…\"; expected ",
        "beside a ratio, a plan such as ",
        "equivalence:0.03;looks:20+40+80;pairing:alternating;tolerance:0.01; see `bench schema`"),
      cell(
        2, .state, "warm",
        "state: \"warm\"; expected one of steady, drifting, cyclic, unknown; see `bench schema`"),
      cell(
        2, .quality, "",
        "quality: empty; expected ", words, "; see `bench schema`"),
      cell(
        2, .quality, "fine",
        "quality: \"fine\"; expected ", words, "; see `bench schema`"),
      cell(
        2, .quality, "ok;noisy",
        "quality: \"ok;noisy\"; expected ", words, "; see `bench schema`"),
      cell(
        2, .quality, "noisy;noisy",
        "quality: \"noisy;noisy\"; expected ", words, "; see `bench schema`"),
      cell(
        7, .quality, "unavailable:",
        "quality: \"unavailable:\"; expected ", words, "; see `bench schema`"),
    ]
  }()

  /// Results files whose lines are spoiled.
  static let rows: [MalformedInput] = {
    let lines = soundRows
    return [
      MalformedInput(
        "no header", lines.without(1).file,
        ":1: schema: \"5\" in place 1 of the header; expected schema; use the header that ",
        "`bench schema` lists"),
      MalformedInput(
        "renamed column", lines.with(1, lines[0].replacing("stat,", with: "st,")).file,
        ":1: stat: \"st\" in place 16 of the header; expected stat; use the header that `bench ",
        "schema` lists"),
      MalformedInput(
        "missing column", lines.with(1, String(lines[0].dropLast(",quality".count))).file,
        ":1: quality: nothing in place 31 of the header; expected quality; use the header that ",
        "`bench schema` lists"),
      MalformedInput(
        "extra column", lines.with(1, lines[0] + ",note").file,
        ":1: \"note\" in place 32 of the header; expected the end of the line; use the header ",
        "that `bench schema` lists"),
      MalformedInput(
        "header only", [lines[0]].file,
        ":1: no rows behind the header; expected at least one row; measure something"),
      MalformedInput(
        "empty file", "",
        ":1: schema: nothing in place 1 of the header; expected schema; use the header that ",
        "`bench schema` lists"),
      MalformedInput(
        "comment first", lines.inserting("# results", before: 1).file,
        ":1: schema: \"# results\" in place 1 of the header; expected schema; use the header ",
        "that `bench schema` lists"),
      MalformedInput(
        "empty line", lines.inserting("", before: 6).file,
        ":6: an empty line; expected one record on every line; remove the line"),
      MalformedInput(
        "short line", lines.with(4, String(lines[3].dropLast(",ok".count))).file,
        ":4: 30 fields; expected 31, as in the header; the line may be cut off: write the file ",
        "again"),
      MalformedInput(
        "long line", lines.with(4, lines[3] + ",").file,
        ":4: 32 fields; expected 31, as in the header; the line may be cut off: write the file ",
        "again"),
      MalformedInput(
        "line twice", lines.inserting(lines[3], before: 5).file,
        ":5: the same subject, process and pair as in line 4; expected each of them once; ",
        "remove one of the lines"),
      MalformedInput(
        "aggregate missing", lines.without(2).file,
        ":2: process: wall p50 of one process without its aggregate; expected a row with an ",
        "empty process before it; add the aggregate row"),
      MalformedInput(
        "aggregate late", lines.with(2, lines[3]).with(4, lines[1]).file,
        ":2: process: wall p50 of one process before its aggregate; expected a row with an ",
        "empty process before it; move the aggregate row up"),
      MalformedInput(
        "cut off", String(lines.file.dropLast(30)),
        ":11: the last line has no line feed; expected every line to end with one; the file may ",
        "be cut off: write it again"),
      MalformedInput(
        "line feed lost at the end", String(lines.file.dropLast()),
        ":11: the last line has no line feed; expected every line to end with one; the file may ",
        "be cut off: write it again"),
      MalformedInput(
        "carriage returns", lines.map { $0 + "\r" }.file,
        ":1: a carriage return; expected lines ending in a line feed alone; convert the file"),
      MalformedInput(
        "byte order mark", "\u{FEFF}" + lines.file,
        ":1: the file starts with a byte order mark; expected UTF-8 without one; save it ",
        "without a mark"),
      MalformedInput(
        "quotation mark inside a cell", lines.file.replacing("latency", with: "lat\"ency"),
        ":5: a quotation mark inside an unquoted field; expected the whole field in quotation ",
        "marks; quote the field and double the marks inside"),
      MalformedInput(
        "quotation mark that stays open", lines.file + "\"",
        ":12: a quoted field without its end; expected a closing quotation mark and a line ",
        "feed; the file may be cut off: write it again"),
      MalformedInput(
        "line feed inside a name", lines.file.replacing("latency", with: "\"lat\nency\""),
        ":5: metric: \"lat�ency\"; expected a metric of the registry, or a name that begins ",
        "with x-; see `bench schema`"),
      MalformedInput(
        "zero byte", lines.with(3, cell: Column.branch.index, "ma\0in").file,
        ":3: branch: \"ma�in\"; expected a branch name on one line; see `bench schema`"),
      MalformedInput(
        "page of the web", "<!DOCTYPE html>\n<title>404</title>\n",
        ":1: schema: \"<!DOCTYPE html>\" in place 1 of the header; expected schema; use the ",
        "header that `bench schema` lists"),
      MalformedInput(
        "bytes that are no UTF-8", Array(lines.file.utf8) + [0xFF, 0x0A],
        ":12: bytes that are not UTF-8; expected UTF-8 text; convert the file"),
    ]
  }()
}
