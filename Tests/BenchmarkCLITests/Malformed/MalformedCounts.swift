// SPDX-License-Identifier: Apache-2.0

extension MalformedInput {
  /// The lines of sound counts.
  static let soundCounts = [
    "benchmark,params,scheduler,instructions_per_op,instructions_spread,rmw_per_op,rmw_spread,"
      + "allocations_per_op,allocations_spread,toolchain,commit",
    "chain,n:1,inline,1,0,1,0,1,0,t,",
  ]

  /// Counts, those of a baseline and those of `bench counts`.
  static let counts: [MalformedInput] = {
    let lines = soundCounts
    return [
      MalformedInput(
        "another table", "benchmark,params\nchain,\n",
        ":1: the first line is not the header of a baseline of counts; expected ",
        "\(lines[0]); ",
        "name a file that `bench counts --record` wrote"),
      MalformedInput(
        "empty file", "",
        ":1: the first line is not the header of a baseline of counts; expected ",
        "\(lines[0]); ",
        "name a file that `bench counts --record` wrote"),
      MalformedInput(
        "field too few", lines.with(2, "chain,n:1,inline,1,0,1,0,1,0,t").file,
        ":2: 10 fields; expected 11, as in the header; record the baseline again"),
      MalformedInput(
        "field too many", lines.with(2, lines[1] + ",").file,
        ":2: 12 fields; expected 11, as in the header; record the baseline again"),
      MalformedInput(
        "word instead of a count", lines.with(2, cell: 3, "much").file,
        ":2: instructions_per_op: \"much\"; expected a number, 0 or more; record the baseline ",
        "again with `bench counts --record`"),
      MalformedInput(
        "negative spread", lines.with(2, cell: 4, "-1").file,
        ":2: instructions_spread: \"-1\"; expected a number, 0 or more; record the baseline ",
        "again with `bench counts --record`"),
      MalformedInput(
        "no number", lines.with(2, cell: 5, "nan").file,
        ":2: rmw_per_op: \"nan\"; expected a number, 0 or more; record the baseline again with ",
        "`bench counts --record`"),
      MalformedInput(
        "endless count", lines.with(2, cell: 5, "1e999").file,
        ":2: rmw_per_op: \"1e999\"; expected a number, 0 or more; record the baseline again ",
        "with `bench counts --record`"),
      MalformedInput(
        "empty count", lines.with(2, cell: 7, "").file,
        ":2: allocations_per_op: \"\"; expected a number, 0 or more; record the baseline again ",
        "with `bench counts --record`"),
      MalformedInput(
        "space in a name", lines.with(2, cell: 0, "a chain").file,
        ":2: benchmark: \"a chain\"; expected a name of A-Z a-z 0-9 _ -; record the baseline ",
        "again with `bench counts --record`"),
      MalformedInput(
        "equals sign in parameters", lines.with(2, cell: 1, "n=1").file,
        ":2: params: \"n=1\"; expected name:value joined by ; and sorted by name; record the ",
        "baseline again with `bench counts --record`"),
      MalformedInput(
        "empty scheduler", lines.with(2, cell: 2, "").file,
        ":2: scheduler: \"\"; expected a name of A-Z a-z 0-9 _ -; record the baseline again ",
        "with `bench counts --record`"),
      MalformedInput(
        "empty toolchain", lines.with(2, cell: 9, "").file,
        ":2: toolchain: \"\"; expected a text that is not empty; record the baseline again with ",
        "`bench counts --record`"),
      MalformedInput(
        "name instead of a commit", lines.with(2, cell: 10, "main").file,
        ":2: commit: \"main\"; expected 40 hexadecimal digits, or nothing; record the baseline ",
        "again with `bench counts --record`"),
      MalformedInput(
        "line feed lost at the end", String(lines.file.dropLast()),
        ":2: the last line has no line feed; expected every line to end with one; the file may ",
        "be cut off: write it again"),
      MalformedInput(
        "same contestant twice", (lines + [lines[1]]).file,
        ":3: chain n:1 on inline again; expected every contestant once per toolchain; remove ",
        "one of the lines"),
      MalformedInput(
        "carriage returns", lines.map { $0 + "\r" }.file,
        ":1: a carriage return; expected lines ending in a line feed alone; convert the file"),
      MalformedInput(
        "quotation mark that stays open", lines.with(2, cell: 9, "\"t").file,
        ":2: a quoted field without its end; expected a closing quotation mark and a line feed; ",
        "the file may be cut off: write it again"),
    ]
  }()
}
