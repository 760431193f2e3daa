// SPDX-License-Identifier: Apache-2.0

import TaskGraphFiles
import Testing

/// Graphs from what make says of its targets and what the recipe shell notes.
@Suite struct MakeTests {
  /// A database as `make -pn` prints it, around these lines of its part `Files`.
  private func database(_ files: String, folder: String = "/w", shell: String = "/bin/sh") -> String
  {
    """
    echo before
    # GNU Make 4.3
    # Make data base, printed on Thu Nov 26 15:00:00 2026

    # Variables

    # makefile
    CURDIR := \(folder)
    # default
    SHELL = \(shell)
    .SHELLFLAGS := -ec
    # Implicit Rules
    # Files

    \(files)

    # files hash-table stats:
    # Load=9/1024=1%
    # Finished Make data base on Thu Nov 26 15:00:00 2026

    """
  }

  /// `id target begin end`, of a make in a folder, inside another line.
  private func record(
    _ id: String, _ target: String, _ begin: Int64, _ end: Int64, make: String = "100",
    in parent: String = "", folder: String = "/w"
  ) -> RecipeRecord {
    RecipeRecord(
      id: id, parent: parent, make: make, begin: begin, end: end, folder: folder, target: target)
  }

  private func graph(_ database: String, _ records: [RecipeRecord]) throws -> TaskGraph {
    try #require(
      try MakeReader.read(
        records, database: MakeDatabase(database), name: "b", path: "make", folder: "/w"))
  }

  private func durations(_ graph: TaskGraph) -> [String: Int64] {
    Dictionary(uniqueKeysWithValues: graph.tasks.map { ($0.name, $0.durationNanoseconds) })
  }

  @Test func theShellIsThatOfTheMakefile() {
    let database = MakeDatabase(database("a: b", shell: "/bin/bash"))
    #expect(database.count == 1)
    #expect(database.shell == "/bin/bash" && database.shellFlags == "-ec")
    #expect(MakeDatabase("make: nothing of the kind").count == 0)
  }

  @Test func targetsWaitForTheirPrerequisitesAndLinesOfATargetAddUp() throws {
    let text = database(
      """
      all: app other
      #  Phony target (prerequisite of .PHONY).
      app: a.o b.o | out
      #  recipe to execute (from 'Makefile', line 2):
      \tcc: not a rule
      \techo 'x: y' \\
      z: w
      a.o:: a.c
      b.o: b.c stamp
      stamp: out
      out:
      other:
      """)
    let graph = try graph(
      text,
      [
        record("5", "app", 60, 65), record("1", "out", 0, 5), record("2", "a.o", 10, 30),
        record("3", "b.o", 10, 20), record("4", "app", 40, 55), record("6", "other", 0, 1),
      ])
    #expect(
      parentNames(graph) == [
        "out": [], "a.o": [], "b.o": ["out"], "app": ["a.o", "b.o", "out"], "other": [],
      ])
    #expect(durations(graph) == ["out": 5, "a.o": 20, "b.o": 10, "app": 20, "other": 1])
    #expect(graph.name == "b" && graph.notes.isEmpty)
  }

  @Test func aRecipeThatMakesSeveralTargetsIsOneTask() throws {
    let text = database(
      """
      app: p.h
      p.c: p.y
      #  Also makes: p.h
      p.h: p.y
      """)
    let graph = try graph(text, [record("1", "p.c", 0, 5), record("2", "app", 6, 7)])
    #expect(parentNames(graph) == ["p.c": [], "app": ["p.c"]])
  }

  @Test func makesInsideWaitForWhatTheirLineWaitsForAndItWaitsForThem() throws {
    let text =
      database(
        """
        all: lib app
        lib: config
        app: lib
        config:
        """) + database("lib: x y\ny: x\nx:\nz:", folder: "/w/sub")
    let graph = try graph(
      text,
      [
        record("1", "config", 0, 10),
        record("2", "lib", 10, 100),
        record("3", "x", 15, 40, make: "200", in: "2", folder: "/w/sub"),
        record("4", "y", 40, 60, make: "200", in: "2", folder: "/w/sub"),
        record("5", "z", 70, 90, make: "201", in: "2", folder: "/w/sub"),
        record("6", "app", 100, 110),
      ])
    #expect(
      parentNames(graph) == [
        "config": [], "sub/x": ["config"], "sub/y": ["sub/x"], "sub/z": ["config", "sub/y"],
        "lib": ["config", "sub/y", "sub/z"], "app": ["lib"],
      ])
    #expect(durations(graph)["lib"] == 25, "90 without 25, 20 and 20, which are the inner recipes'")
  }

  @Test func oneTargetInTwoFoldersIsTwoTasksAndOneInTwoMakesToo() throws {
    let text = database("all: install\ninstall:") + database("all:", folder: "/other/place")
    let graph = try graph(
      text,
      [
        record("1", "all", 0, 1),
        record("2", "all", 2, 3, make: "101", folder: "/other/place"),
        record("3", "all", 4, 5, make: "102"),
      ])
    #expect(graph.tasks.map(\.name) == ["all", "/other/place/all", "all#2"])
  }

  @Test func aTargetThatTheDatabaseLacksIsNamed() throws {
    let graph = try graph(database("a:"), [record("1", "a", 0, 1), record("2", "made-up", 0, 1)])
    #expect(
      graph.notes == [
        "make: make's database has not got 1 of 2 targets that ran, first `made-up`; "
          + "what it waits for is not known"
      ])
  }

  @Test func withoutRecordsThereIsNoGraph() throws {
    #expect(
      try MakeReader.read(
        [], database: MakeDatabase(database("a: b")), name: "b", path: "make", folder: "/w") == nil)
  }

  @Test func targetsInACycleAreNamed() {
    #expect(throws: TaskGraphError.self) {
      try graph(
        database("a: b\nb: a"), [record("1", "a", 0, 1), record("2", "b", 1, 2)])
    }
  }

  @Test func theLogOfTheRecipeShellIsReadWhole() throws {
    let text = ["7", "", "100", "5", "9", "/w", "a b\nc"].joined(separator: "\0") + "\0"
    let bytes = Array(text.utf8)
    #expect(
      try RecipeRecord.read(bytes + bytes, path: "log")
        == Array(repeating: record("7", "a b\nc", 5, 9), count: 2))
    #expect(try RecipeRecord.read([], path: "log").isEmpty)
    for damaged in [Array(bytes.dropLast()), Array(bytes.dropFirst(2))] {
      #expect(throws: TaskGraphError.self) { try RecipeRecord.read(damaged, path: "log") }
    }
    let backwards = ["7", "", "100", "9", "5", "/w", "a"].joined(separator: "\0") + "\0"
    #expect(throws: TaskGraphError.self) {
      try RecipeRecord.read(Array(backwards.utf8), path: "log")
    }
  }
}
