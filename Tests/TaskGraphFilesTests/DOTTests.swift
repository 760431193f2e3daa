// SPDX-License-Identifier: Apache-2.0

import TaskGraphFiles
import Testing

@Suite struct DOTTests {
  @Test func anArrowMeansThatItsHeadWaits() throws {
    let graph = try readDOT("digraph g { a -> b -> c; a -> c; a -> c }")
    #expect(graph.name == "g")
    #expect(graph.tasks.map(\.name) == ["a", "b", "c"])
    #expect(graph.tasks.map(\.parents) == [[], [0], [1, 0]])
  }

  @Test func durationsAreSecondsAndDefaultToZero() throws {
    let graph = try readDOT(
      """
      digraph { a [duration=0.25]; b; c [shape=box, duration="1e-3"; color=red] [x=y]; d [duration=1, duration=2]
      e [duration=3]; e [duration=""]; f [duration=.5]; a -> b [duration=7] }
      """)
    #expect(
      graph.tasks.map(\.durationNanoseconds) == [
        250_000_000, 0, 1_000_000, 2_000_000_000, 0, 500_000_000,
      ])
    #expect(
      graph.notes == [
        "g.dot: 1 of 6 tasks has no `duration` and takes no time, first `b`; write duration=0 where "
          + "that is meant",
        "g.dot: 1 edge statement with a duration; only durations of nodes count",
      ])
  }

  @Test func tasksWithoutDurationAreCounted() throws {
    func notes(_ text: String) throws -> [String] { try readDOT(text).notes }
    #expect(try notes("digraph { a [duration=1]; b [duration=0]; c [duration=\"\"] }") == [])
    #expect(try notes("digraph { node [duration=1]; a; b -> c }") == [])
    #expect(
      try notes("digraph { a [duration=1]; b -> c -> a }").first?.hasPrefix(
        "g.dot: 2 of 3 tasks have no `duration` and take no time, first `b`;") == true)
    #expect(try notes("digraph { { node [duration=1]; a } b }").count == 1)
  }

  /// Attributes, and whether they look like durations.
  @Test(arguments: [
    ("duraton", true), ("Duration", true), ("DURATION", true), ("duratoin", true), ("dur", true),
    ("durations", true), ("duration_s", true), ("durtaion", true), ("duratn", true),
    ("label", false), ("iteration", false), ("direction", false), ("rotation", false),
    ("du", false), ("d", false), ("operation", false), ("größe", false),
  ])
  func aMisspeltDurationIsAskedAbout(name: String, isNear: Bool) throws {
    let notes = try readDOT(
      "digraph {\n node [\(name)=1]\n a [duration=1]; b [duration=2, \(name)=3] }"
    ).notes
    let note =
      "g.dot:2:8: the attribute `\(name)`, given 2 times, is not read; did you mean `duration`?"
    #expect(notes == (isNear ? [note] : []))
  }

  @Test func nodeDefaultsReachNewNodesOfTheSubgraphOnly() throws {
    let graph = try readDOT(
      "digraph { a; node [duration=1]; b; { node [duration=2]; c; b; { d } } e; subgraph s { f } a }"
    )
    #expect(
      graph.tasks.map(\.durationNanoseconds)
        == [0, 1_000_000_000, 2_000_000_000, 2_000_000_000, 1_000_000_000, 1_000_000_000])
  }

  @Test func edgesToSubgraphsReachEveryMember() throws {
    let graph = try readDOT(
      "digraph { a -> {b; c -> d {e}} -> f; subgraph s {g} -> {h i} -> j; {k l} -> {k2 l2} }")
    #expect(
      parentNames(graph) == [
        "a": [], "b": ["a"], "c": ["a"], "d": ["a", "c"], "e": ["a"], "f": ["b", "c", "d", "e"],
        "g": [],
        "h": ["g"], "i": ["g"], "j": ["h", "i"], "k": [], "l": [], "k2": ["k", "l"],
        "l2": ["k", "l"],
      ])
  }

  @Test func aSubgraphOpenedAgainKeepsItsMembers() throws {
    let graph = try readDOT(
      "digraph { subgraph s { a b } subgraph s { c } -> d; subgraph t { subgraph s { x } } }")
    #expect(parentNames(graph)["d"] == ["a", "b", "c"])
  }

  @Test func idsComeInFourForms() throws {
    let graph = try readDOT(
      #"""
      strict DIGRAPH "my graph" {
        // comment
        "a\"b" + /* joined */ "c" -> -1.5 [label=<<b>x</b> > y>>];
      # preprocessor line
        "line \
      on" -> _x9:port:sw -> größe:n;
        <h<i>> ; rankdir=LR "q" = r edge [a=b] graph [c=d]; ; "node"
      }
      """#.replacing(" > y>>", with: ">"))
    #expect(graph.name == "my graph")
    #expect(
      graph.tasks.map(\.name) == [#"a"bc"#, "-1.5", "line on", "_x9", "größe", "<h<i>>", "node"])
  }

  /// Faults, the place, and a word of the finding or expectation.
  @Test(arguments: [
    ("graph { a -- b }", 1, 1, "undirected"), ("strict graph {}", 1, 8, "undirected"),
    ("digraph {\n a -- b }", 2, 4, "undirected"), ("digraph { a -> }", 1, 16, "after `->`"),
    ("digraph { a [duration=-1] }", 1, 23, "negative"),
    ("digraph { a [duration=nan] }", 1, 23, "NaN"),
    ("digraph { a [duration=inf] }", 1, 23, "infinite"),
    ("digraph { a [duration=\"5ms\"] }", 1, 23, "decimal"),
    ("digraph { a [duration=\"0x10\"] }", 1, 23, "decimal"),
    ("digraph { a [duration] }", 1, 22, "no value"),
    ("digraph { node [duration=-2] }", 1, 26, "negative"),
    ("digraph { a [duration=1e300] }", 1, 24, "right after"),
    ("digraph { 1a }", 1, 12, "right after a number"), ("digraph { \"a", 1, 11, "not closed"),
    ("digraph { /* a", 1, 11, "not closed"), ("digraph { <a<b>", 1, 11, "not closed"),
    ("digraph { a }\ndigraph { b }", 2, 1, "end of the file"),
    ("digraph { a", 1, 12, "end of the file"),
    ("digraph { a [b=c", 1, 17, "end of the file"), ("digraph { a ] }", 1, 13, "found `]`"),
    ("digraph { node }", 1, 16, "`[`"), ("digraph { \u{1} }", 1, 11, "0x1"),
    ("digraph { subgraph s }", 1, 22, "`{`"),
    ("hello", 1, 1, "digraph"), ("digraph { a:b:c:d }", 1, 16, "found `:`"),
    ("digraph { \"a\" + b }", 1, 17, "after `+`"),
  ])
  func faultsHaveLineAndColumn(text: String, line: Int, column: Int, word: String) throws {
    let error = try #require(failure { () throws(TaskGraphError) in try readDOT(text) })
    #expect(error.line == line)
    #expect(error.column == column)
    #expect(error.description.contains(word))
  }

  @Test func cycleIsNamed() throws {
    let error = try #require(
      failure { () throws(TaskGraphError) in try readDOT("digraph { x -> a -> b -> c -> a }") })
    #expect(error.finding.contains("a → b → c → a") || error.finding.contains("b → c → a → b"))
    let loop = try #require(
      failure { () throws(TaskGraphError) in try readDOT("digraph { a -> a }") })
    #expect(loop.finding.contains("a → a"))
  }

  @Test func longCyclesAreShortened() throws {
    let chain = (0...5_000).map { "n\($0)" }.joined(separator: " -> ")
    let error = try #require(
      failure { () throws(TaskGraphError) in try readDOT("digraph { \(chain) -> n0 }") })
    #expect(error.finding.contains("4993 more"))
    #expect(error.finding.count < 300)
  }

  @Test func deepNestingIsRefused() throws {
    let text = "digraph { a -> " + String(repeating: "{ b -> ", count: 100_000)
    let error = try #require(failure { () throws(TaskGraphError) in try readDOT(text) })
    #expect(error.finding.contains("4096"))
  }

  @Test func edgesBetweenHugeSubgraphsAreRefused() throws {
    let nodes = (0..<6_000).map { "a\($0)" }.joined(separator: " ")
    let text = "digraph { {\(nodes)} -> {\(nodes.replacing("a", with: "b"))} }"
    let error = try #require(failure { () throws(TaskGraphError) in try readDOT(text) })
    #expect(error.finding.contains("stand for more"))
  }

  @Test func everyTruncationFailsWithAPlace() throws {
    let bytes = Array(
      #"digraph "g" { a:p -> {b c} [x="y"]; node [duration=1] /* d */ <e> ; d = "f" + "g" }"#.utf8)
    for length in 0..<bytes.count {
      let error = try #require(
        failure { () throws(TaskGraphError) in
          try TaskGraphFile.parse(Array(bytes.prefix(length)), format: .dot, path: "g.dot")
        }, "\(length) bytes")
      #expect(error.line != nil && error.column != nil)
    }
  }
}
