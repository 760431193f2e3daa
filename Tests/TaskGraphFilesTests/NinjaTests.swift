// SPDX-License-Identifier: Apache-2.0

import TaskGraphFiles
import Testing

@Suite struct NinjaTests {
  @Test func tasksAreTheEdgesWithALogEntryAndTheLastEntryWins() throws {
    let graph = try readNinja(
      """
      rule cc
        command = cc -c $in -o $out
      build a.o a.d: cc a.c
      build b.o | b.d: cc b.c
      build never.o: cc n.c
      build app: cc a.o b.o never.o
      """,
      log: ["0 5 a.o", "0 7 b.d", "10 12 app", "20 29 a.d", "1 2 gone", "30 33 b.o"])
    #expect(graph.name == "b")
    #expect(graph.tasks.map(\.name) == ["a.o", "b.o", "app"])
    #expect(graph.tasks.map(\.durationNanoseconds) == [9_000_000, 3_000_000, 2_000_000])
    #expect(parentNames(graph)["app"] == ["a.o", "b.o"])
    #expect(
      graph.notes == [
        "b/.ninja_log: 1 of 6 lines match no build statement and are left out",
        "b/build.ninja: 1 of 4 build statements has no line in the log and is left out, "
          + "first `never.o`",
      ])
  }

  @Test func buildStatementsWithoutALogLineAreNamedButPhonyOnesAreNot() throws {
    let graph = try readNinja(
      """
      rule r
      build all: phony app
      build a.o: r
      build b.o: r
      build app: r a.o b.o
      """, log: ["0 1 a.o"])
    #expect(
      graph.notes == [
        "b/build.ninja: 2 of 3 build statements have no line in the log and are left out, "
          + "first `b.o`"
      ])
    let whole = try readNinja("rule r\nbuild a: r\nbuild all: phony a\n", log: ["0 1 a"])
    #expect(whole.notes.isEmpty)
  }

  @Test func theLogOfAParallelBuildSaysHowManyTasksSharedTheMachine() throws {
    let text = "rule r\nbuild a: r\nbuild b: r\nbuild c: r a b\n"
    let shared = try readNinja(text, log: ["0 100 a", "0 100 b", "100 120 c"])
    #expect(
      shared.notes == [
        "b/.ninja_log: 1.8 tasks ran at a time on average; a task that shared a processor took longer "
          + "than it does alone, and a build with `ninja -j1` times it alone"
      ])
    #expect(try readNinja(text, log: ["0 100 a", "100 200 b", "200 220 c"]).notes.isEmpty)
    // One build after the other, each with a clock of its own.
    #expect(
      try readNinja(text, log: ["0 100 a", "100 200 b", "200 220 c", "0 100 b", "100 120 c"]).notes
        .isEmpty)
  }

  @Test func untimedEdgesPassOnTheirNearestTimedAncestors() throws {
    let graph = try readNinja(
      """
      rule r
      build a: r
      build b: r a
      build one: phony b
      build two: phony one
      build none: phony src.c
      build self: phony self a
      build many: phony a two none unbuilt
      build unbuilt: r b
      build c: r two
      build d: r many
      build e: r || many c
      build f: r none
      build g: r self
      """,
      log: ["a", "b", "c", "d", "e", "f", "g", "many"].map { "0 1 \($0)" })
    #expect(
      parentNames(graph) == [
        "a": [], "b": ["a"], "c": ["b"], "d": ["a", "b"], "e": ["a", "b", "c"], "f": [], "g": ["a"],
      ])
    #expect(
      graph.notes.contains { $0.contains("1 of 8 lines match no") },
      "the log line of a phony edge counts as unmatched")
  }

  @Test func implicitAndOrderOnlyInputsAreDependenciesValidationsAreNot() throws {
    let graph = try readNinja(
      """
      rule r
      build a: r
      build b: r
      build c: r
      build v: r x
      build x: r a | b || c |@ v
      """, log: ["a", "b", "c", "v", "x"].map { "0 1 \($0)" })
    #expect(parentNames(graph) == ["a": [], "b": [], "c": [], "v": ["x"], "x": ["a", "b", "c"]])
  }

  @Test func variablesAndEscapesAreExpandedBeforePathsAreCompared() throws {
    let graph = try readNinja(
      """
      root = out
      dir = ${root}/x
      root = late
      name-1 = q
      rule r
        command = anything $in $out $
            ${even.dots}
      build $dir/a$ b$:c$$d: r $
          in$
        put
      build $dir/$name-1.o $dir/l: r $dir/a$ b$:c$$d
        local = L
      build ${root}/./$local//$undefined/../k: r $dir/q.o
        local = L
        other = $local!
      build m$other: r out/x/../x/l
        local = L
        other = $local!
      build last: r late/k m!
      """,
      log: ["0 1 out/x/a b:c$d", "0 2 out/x/q.o", "0 3 late/k", "0 4 m!", "0 5 last"])
    #expect(
      parentNames(graph) == [
        "out/x/a b:c$d": [], "out/x/q.o": ["out/x/a b:c$d"], "late/k": ["out/x/q.o"],
        "m!": ["out/x/q.o"],
        "last": ["late/k", "m!"],
      ])
  }

  @Test func includeSharesTheScopeAndSubninjaHasItsOwn() throws {
    let graph = try readNinja(
      """
      v = outer
      include a.ninja
      build $v/1: shared
      subninja b.ninja
      build $v/3: shared b/2 outer/2 inner/2
      """, log: ["0 1 included/1", "0 1 inner/2", "0 1 included/3"],
      included: [
        "a.ninja": "rule shared\nv = included\n",
        "b.ninja":
          "build $v/0: phony\nv = inner\nrule own\nbuild $v/2: own included/1\nbuild x: shared",
      ])
    #expect(
      parentNames(graph) == [
        "included/1": [], "inner/2": ["included/1"], "included/3": ["inner/2"],
      ])
    let error = try #require(
      failure { () throws(TaskGraphError) in
        try readNinja(
          "subninja b.ninja\nbuild a: own\n", log: [], included: ["b.ninja": "rule own\n"])
      })
    #expect(error.finding.contains("`own` is not declared"))
    #expect(error.line == 2)
  }

  @Test func carriageReturnsCommentsAndPoolsAreRead() throws {
    let graph = try readNinja(
      "# comment\r\nninja_required_version = 1.5\r\npool p\r\n  depth = 2\r\n\r\nrule r\r\n  command = x\r\n   # inner\r\n"
        + "\r\n  pool = p\r\nbuild a: r\r\n  # c\r\n  k = v\r\nbuild b: r $\r\n  a\r\ndefault a b\r\n",
      log: ["0 1 a", "0 1 b"])
    #expect(parentNames(graph) == ["a": [], "b": ["a"]])
  }

  /// Faults in the manifest, the place and a word of the message.
  @Test(arguments: [
    ("build a: nope\n", 1, 10, "`nope` is not declared"), ("build a phony\n", 1, 14, "`:`"),
    ("build : phony\n", 1, 7, "path of an output"), ("build a: \n", 1, 10, "name of a rule"),
    ("x\n", 1, 2, "`=`"),
    ("x = $%\n", 1, 5, "as `$$`"), ("x = ${a\n", 1, 8, "`}`"), ("  x = 1\n", 1, 3, "indented"),
    ("\tx = 1\n", 1, 1, "tab"), ("rule r\nrule r\n", 2, 6, "duplicate"),
    ("rule r x\n", 1, 8, "end of the line"),
    ("build a: phony\nbuild b ./a: phony\n", 2, 9, "duplicate output"),
    ("build $x: phony\n", 1, 7, "empty"),
    ("include none.ninja\n", 1, 1, "none.ninja"), ("include me.ninja\n", 1, 1, "inside itself"),
    ("rule\n", 1, 5, "name of the rule"), ("default\n", 1, 8, "a path"),
    ("build a: phony b :\n", 1, 18, "end of the line"),
    ("build a: phony\n  x\n", 2, 4, "`=`"), ("rule r\n  command = $\u{7}\n", 2, 13, "0x7"),
  ])
  func manifestFaultsHaveLineAndColumn(manifest: String, line: Int, column: Int, word: String)
    throws
  {
    let error = try #require(
      failure { () throws(TaskGraphError) in
        try readNinja(manifest, log: [], included: ["me.ninja": "include me.ninja\n"])
      })
    #expect(error.line == line)
    #expect(error.column == column)
    #expect(error.description.contains(word))
  }

  /// Faults in the log.
  @Test(arguments: [
    ("", 1, 1, "empty"), ("0\t1\t2\ta\tb\n", 1, 1, "header"),
    ("# ninja log v4\n", 1, 14, "version 4"),
    ("# ninja log vX\n", 1, 14, "found `X`"), ("# ninja log v5\n5\t1\t2\ta\tb\n", 2, 1, "-4 ms"),
    ("# ninja log v5\n1\t2\t3\ta\n", 2, 8, "truncated"),
    ("# ninja log v5\n1\t2\t3\ta\tb", 2, 10, "truncated"),
    ("# ninja log v5\n1\tx\t3\ta\tb\n", 2, 3, "found `x`"),
    ("# ninja log v5\n-1\t2\t3\ta\tb\n", 2, 1, "found `-`"),
    ("# ninja log v5\n1\t99999999999999999999\t3\ta\tb\n", 2, 3, "64 bits"),
    ("# ninja log v5\n0\t9223372036854775807\t3\ta\tb\n", 2, 1, "ms"),
  ])
  func logFaultsHaveLineAndColumn(log: String, line: Int, column: Int, word: String) throws {
    let error = try #require(
      failure { () throws(TaskGraphError) in
        try TaskGraphFile.parseNinja(
          manifest: Array("rule r\nbuild a: r\n".utf8), log: Array(log.utf8), path: "b/build.ninja")
      })
    #expect(error.path == "b/.ninja_log")
    #expect(error.line == line)
    #expect(error.column == column)
    #expect(error.description.contains(word))
  }

  @Test(arguments: [5, 6, 7, 9])
  func laterLogVersionsAreReadAlike(version: Int) throws {
    let graph = try TaskGraphFile.parseNinja(
      manifest: Array("rule r\nbuild a: r\n".utf8),
      log: Array("# ninja log v\(version)\n1\t3\t0\ta\tf\n".utf8),
      path: "build.ninja")
    #expect(graph.tasks.map(\.durationNanoseconds) == [2_000_000])
    #expect(graph.notes.count == (version > 7 ? 1 : 0))
  }

  @Test func onlyAGraphWithoutAnyTimedEdgeIsRefused() throws {
    let error = try #require(
      failure { () throws(TaskGraphError) in
        try readNinja("build a: phony\n", log: ["0 1 a", "0 1 b"])
      })
    #expect(error.finding.contains("none of 2 lines"))
  }

  @Test func cycleIsNamedEvenThroughPhonyEdges() throws {
    let error = try #require(
      failure { () throws(TaskGraphError) in
        try readNinja(
          "rule r\nbuild z: r\nbuild a: r p z\nbuild p: phony b\nbuild b: r a\n", log: ["0 1 a"])
      })
    #expect(error.finding.contains("b → p → a → b") || error.finding.contains("a → b → p → a"))
  }

  @Test func variablesThatContainEachOtherAreRefused() throws {
    let lines = (1...60).map { "v\($0) = $v\($0 - 1)$v\($0 - 1)\n" }.joined()
    let error = try #require(
      failure { () throws(TaskGraphError) in try readNinja("v0 = xx\n" + lines, log: []) })
    #expect(error.finding.contains("variables put more"))
  }

  @Test func filesThatIncludeTheNextTwiceAreRefused() throws {
    var files: [String: String] = [:]
    for number in 0..<60 { files["\(number)"] = "include \(number + 1)\ninclude \(number + 1)\n" }
    files["60"] = "v = 1\n"
    let error = try #require(
      failure { () throws(TaskGraphError) in try readNinja("include 0\n", log: [], included: files)
      })
    #expect(error.finding.contains("100000 files"))
  }

  @Test func everyTruncationOfManifestAndLogEndsWell() throws {
    let manifest = Array(
      "d = a\nrule r\n  c = ${d}$$\nbuild $d/x | y: r in | im || oo |@ v\n  k = v\n".utf8)
    let log = Array("# ninja log v5\n1\t2\t3\ta/x\tb\n".utf8)
    for length in 0..<manifest.count {
      let error = failure { () throws(TaskGraphError) in
        try TaskGraphFile.parseNinja(
          manifest: Array(manifest.prefix(length)), log: log, path: "build.ninja")
      }
      // A manifest cut at the end of an input or binding is a legal, smaller one.
      #expect(
        error == nil || error?.line != nil || error?.finding.contains("none of 1 line") == true,
        "\(length) bytes")
    }
    for length in 0..<log.count where length != 15 {
      let error = try #require(
        failure { () throws(TaskGraphError) in
          try TaskGraphFile.parseNinja(
            manifest: manifest, log: Array(log.prefix(length)), path: "build.ninja")
        }, "\(length) bytes")
      #expect(error.line != nil)
    }
  }
}
