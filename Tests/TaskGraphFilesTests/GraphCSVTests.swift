// SPDX-License-Identifier: Apache-2.0

import Foundation
import TaskGraphFiles
import Testing

/// The form of this suite: a line per task.
@Suite struct GraphCSVTests {
  private func read(_ text: String) throws(TaskGraphError) -> TaskGraph {
    try TaskGraphFile.parse(Array(text.utf8), format: .csv, path: "dir/g.csv")
  }

  @Test func tasksHaveTimesNamesAndWhatTheyWaitFor() throws {
    let graph = try read(
      """
      # name: a build
      # machine: 2 CPUs, of some kind: fast
      # without a colon
      id,duration_ns,after,name
      link,30,c1 c2,app
      c1,10,,"say ""hi"", twice"
      c2,20,c1,

      """)
    #expect(graph.name == "a build" && graph.source == .csv)
    #expect(graph.tasks.map(\.name) == ["app", #"say "hi", twice"#, "c2"])
    #expect(graph.tasks.map(\.durationNanoseconds) == [30, 10, 20])
    #expect(graph.tasks.map(\.parents) == [[1, 2], [], [1]])
    #expect(graph.facts.map(\.key) == ["name", "machine"])
    #expect(graph.facts[1].value == "2 CPUs, of some kind: fast")
    #expect(graph.totalWorkNanoseconds == 60 && graph.criticalPathNanoseconds == 60)
  }

  @Test func aFileWithoutNamesIsNamedByItsIdsAndByItself() throws {
    let graph = try read("\u{FEFF}id,duration_ns,after\r\n1,5,\r\n2,6,1 1\r\n")
    #expect(graph.name == "g" && graph.tasks.map(\.name) == ["1", "2"])
    #expect(graph.tasks.map { Set($0.parents) } == [[], [0]])
    #expect(graph.edgeCount == 1, "a dependency that is there twice is one")
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let graph = try TaskGraph(
      name: "x", source: .ninja,
      tasks: [
        .init(name: "plain", durationNanoseconds: 0, parents: [2]),
        .init(name: #"a, "b""#, durationNanoseconds: .max / 4, parents: []),
        .init(name: "two\nlines\u{1}", durationNanoseconds: 7, parents: [1]),
      ], facts: [.init(key: "name", value: "old"), .init(key: "origin", value: "a\nb")],
      path: "x")
    let bytes = graph.csv(facts: [.init(key: "name", value: "new")])
    let again = try TaskGraphFile.parse(bytes, format: .csv, path: "y.csv")
    #expect(again.name == "new")
    #expect(again.facts.map(\.value) == ["new", "a\u{FFFD}b"])
    #expect(again.tasks.map(\.name) == ["plain", #"a, "b""#, "two\u{FFFD}lines\u{FFFD}"])
    #expect(again.tasks.map(\.durationNanoseconds) == graph.tasks.map(\.durationNanoseconds))
    #expect(again.tasks.map(\.parents) == graph.tasks.map(\.parents))
    #expect(again.csv() == bytes, "a second writing changes nothing")
  }

  @Test func theBeginningTellsTheFormWhereTheNameDoesNot() throws {
    let folder = try TestFolder(["graph": "# name: n\nid,duration_ns,after\na,1,\n"])
    #expect(try TaskGraphFile.load(path: folder["graph"]).name == "n")
  }

  @Test(arguments: [
    ("", 1, 1, "the header is ``"),
    ("# name: x", 1, 10, "the header is ``"),
    ("id,after\n", 1, 1, "the header is `id,after`"),
    ("id,duration_ns,after\n,1,\n", 2, 1, "the id is empty"),
    ("id,duration_ns,after\n\"a\",1,\n", 2, 1, "a blank or a quotation mark"),
    ("id,duration_ns,after\na b,1,\n", 2, 1, "a blank or a quotation mark"),
    ("id,duration_ns,after\n# late: x,1,\n", 2, 1, "a blank"),
    ("id,duration_ns,after\n#late,1,\n", 2, 1, "begins with `#`"),
    ("id,duration_ns,after\na,1,\na,2,\n", 3, 1, "the id `a` is there twice"),
    ("id,duration_ns,after\na\n", 2, 2, "the line ends after the id"),
    ("id,duration_ns,after\na,1\n", 2, 4, "the line ends after the duration"),
    ("id,duration_ns,after\na,,\n", 2, 3, "the duration is empty"),
    ("id,duration_ns,after\na,1.5,\n", 2, 3, "the duration `1.5`"),
    ("id,duration_ns,after\na,-1,\n", 2, 3, "the duration `-1`"),
    ("id,duration_ns,after\na,9223372036854775808,\n", 2, 3, "is no such number"),
    ("id,duration_ns,after\na,1,b\n", 2, 5, "no task has the id `b`"),
    ("id,duration_ns,after\na,1,,x\n", 2, 5, "found"),
    ("id,duration_ns,after,name\na,1,\n", 2, 5, "the line ends after `after`"),
    ("id,duration_ns,after,name\na,1,,\"x\n", 2, 6, "not closed"),
    ("id,duration_ns,after,name\na,1,,\"x\"y\n", 2, 9, "found"),
    ("id,duration_ns,after,name\na,1,,x,y\n", 2, 7, "found"),
  ])
  func whatIsWrongIsNamedWithItsPlace(text: String, line: Int, column: Int, finding: String) throws
  {
    let error = try #require(failure { () throws(TaskGraphError) in try read(text) })
    #expect(error.path == "dir/g.csv")
    #expect((error.line, error.column) == (line, column), "\(error)")
    #expect(error.finding.contains(finding), "\(error)")
    #expect(!error.expectation.isEmpty && !error.remedy.isEmpty)
  }

  @Test func cyclesAndEmptyGraphsAreRefused() throws {
    let cycle = failure { () throws(TaskGraphError) in
      try read("id,duration_ns,after\na,1,b\nb,1,a\n")
    }
    #expect(cycle?.finding.contains("cycle") == true, "\(String(describing: cycle))")
    let empty = failure { () throws(TaskGraphError) in try read("id,duration_ns,after\n") }
    #expect(empty != nil)
  }

  @Test func aFolderIsEveryGraphInItInTheOrderOfTheirNames() throws {
    let folder = try TestFolder([
      "b.csv": "id,duration_ns,after\n1,1,\n", "a.json": "{}", ".hidden": "",
      "build/build.ninja": "",
    ])
    #expect(
      try TaskGraphFile.graphs(at: folder.path)
        == [folder["a.json"], folder["b.csv"], folder["build"]])
    #expect(
      try TaskGraphFile.graphs(at: folder.path + "/") == TaskGraphFile.graphs(at: folder.path))
    #expect(try TaskGraphFile.graphs(at: folder["build"]) == [folder["build"]])
    #expect(try TaskGraphFile.graphs(at: folder["nothing"]) == [folder["nothing"]])
    let empty = try TestFolder()
    #expect(throws: TaskGraphError.self) { try TaskGraphFile.graphs(at: empty.path) }
  }
}
