// SPDX-License-Identifier: Apache-2.0

extension MalformedInput {
  /// The lines of a sound baseline.
  static let soundBaseline = [
    "scheduler-bench baseline 1", "commit 6180120d52a1b7c0c9a7c3e1f00d5eed2b0a4c11",
    "machine h:3fa9c0d2e4b86a17", "processor AMD EPYC", "toolchain Swift 6.3.1",
    "saved 2026-01-31T12:00:00Z",
  ]

  /// Stored baselines.
  static let baselines: [MalformedInput] = {
    let lines = soundBaseline
    return [
      MalformedInput(
        "empty line alone", [""].file,
        ":1: \"\"; expected \"scheduler-bench baseline 1\" and a fact on each line; save it ",
        "again with `bench baseline save`"),
      MalformedInput(
        "no first line", lines.without(1).file,
        ":1: \"commit 6180120d52a1b7c0c9a7c3e1f00d5eed2b0a4c11\"; expected \"scheduler-bench ",
        "baseline 1\" and a fact on each line; save it again with `bench baseline save`"),
      MalformedInput(
        "later version", lines.with(1, "scheduler-bench baseline 2").file,
        ":1: \"scheduler-bench baseline 2\"; expected \"scheduler-bench baseline 1\" and a fact ",
        "on each line; save it again with `bench baseline save`"),
      MalformedInput(
        "misspelt fact", lines.with(2, "comit main").file,
        ":2: unknown fact \"comit\"; expected commit, branch, machine, processor, toolchain, ",
        "saved; save it again with `bench baseline save`"),
      MalformedInput(
        "empty line", lines.with(2, "").file,
        ":2: unknown fact \"\"; expected commit, branch, machine, processor, toolchain, saved; ",
        "save it again with `bench baseline save`"),
      MalformedInput(
        "fact without a value", lines.with(2, "commit").file,
        ":2: commit: nothing; expected 40 hexadecimal digits; save it again with `bench ",
        "baseline save`"),
      MalformedInput(
        "name instead of a commit", lines.with(2, "commit main").file,
        ":2: commit: \"main\"; expected 40 hexadecimal digits; save it again with `bench ",
        "baseline save`"),
      MalformedInput(
        "short commit", lines.with(2, String(lines[1].dropLast(30))).file,
        ":2: commit: \"6180120d52\"; expected 40 hexadecimal digits; save it again with `bench ",
        "baseline save`"),
      MalformedInput(
        "fact twice", lines.with(3, lines[1]).file,
        ":3: commit: a second time; expected each fact once; save it again with `bench baseline ",
        "save`"),
      MalformedInput(
        "no commit", lines.without(2).file,
        ":5: no commit; expected commit 40 hexadecimal digits; save it again with `bench ",
        "baseline save`"),
      MalformedInput(
        "no machine", lines.without(3).file,
        ":5: no machine; expected machine h: and 16 hexadecimal digits; save it again with ",
        "`bench baseline save`"),
      MalformedInput(
        "unknown machine", lines.with(3, "machine here").file,
        ":3: machine: \"here\"; expected h: and 16 hexadecimal digits; save it again with ",
        "`bench baseline save`"),
      MalformedInput(
        "vague moment", lines.with(6, "saved today").file,
        ":6: saved: \"today\"; expected a moment such as 2026-01-31T12:00:00Z; save it again ",
        "with `bench baseline save`"),
      MalformedInput(
        "line too many", (lines + ["more of it"]).file,
        ":7: unknown fact \"more\"; expected commit, branch, machine, processor, toolchain, ",
        "saved; save it again with `bench baseline save`"),
      MalformedInput(
        "carriage returns", lines.map { $0 + "\r" }.file,
        ":1: a carriage return; expected lines ending in a line feed alone; save it again with ",
        "`bench baseline save`"),
      MalformedInput(
        "mark of a merge", lines.inserting("<<<<<<< HEAD", before: 2).file,
        ":2: unknown fact \"<<<<<<<\"; expected commit, branch, machine, processor, toolchain, ",
        "saved; save it again with `bench baseline save`"),
      MalformedInput(
        "empty file", "",
        ":1: no line feed at the end; expected \"scheduler-bench baseline 1\" and a fact on ",
        "each line; save it again with `bench baseline save`"),
      MalformedInput(
        "cut off", String(lines.file.dropLast(8)),
        ":1: no line feed at the end; expected \"scheduler-bench baseline 1\" and a fact on ",
        "each line; save it again with `bench baseline save`"),
      MalformedInput(
        "line feed lost at the end", String(lines.file.dropLast()),
        ":1: no line feed at the end; expected \"scheduler-bench baseline 1\" and a fact on ",
        "each line; save it again with `bench baseline save`"),
      MalformedInput(
        "bytes that are no UTF-8", [0xFF],
        ":1: bytes that are no UTF-8; expected a baseline; save it again with `bench baseline ",
        "save`"),
    ]
  }()
}
