// SPDX-License-Identifier: Apache-2.0

import Foundation
import TaskGraphFiles
import Testing

@Suite struct GraphFileTests {
  private static let ninja = "rule r\nbuild a: r\n"
  private static let log = "# ninja log v5\n0\t4\t1\ta\tf\n"
  private static let json = """
    {"schemaVersion": "1.5", "workflow": {"specification": {"tasks": [{"id": "a", "parents": []}]},
    "execution": {"tasks": [{"id": "a", "runtimeInSeconds": 1}]}}}
    """

  @Test(arguments: [
    ("w.json", json, TaskGraph.Format.wfcommons), ("W.JSON", json, .wfcommons),
    ("trace", "\n " + json, .wfcommons),
    ("g.dot", "digraph { a }", .dot), ("g.gv", "digraph{a}", .dot),
    ("g", "# x\n// y\nStrict DIGRAPH{a}", .dot),
    ("g2", "/* x */ digraph{a}", .dot), ("b.ninja", ninja, .ninja),
    ("manifest", "# x\n" + ninja, .ninja),
  ])
  func formatFollowsFromNameElseFromContent(name: String, content: String, format: TaskGraph.Format)
    throws
  {
    let folder = try TestFolder([name: content, ".ninja_log": Self.log])
    let graph = try TaskGraphFile.load(path: folder[name])
    #expect(graph.source == format)
    #expect(graph.tasks.count == 1)
  }

  @Test func aFolderMeansItsNinjaBuildWithIncludesAndLog() throws {
    let folder = try TestFolder([
      "proj/build.ninja": "include sub/rules.ninja\nbuild a: r\n",
      "proj/sub/rules.ninja": "rule r\n",
      "proj/.ninja_log": Self.log,
    ])
    let graph = try TaskGraphFile.load(path: folder["proj"])
    #expect(graph.name == "proj")
    #expect(graph.tasks.map(\.durationNanoseconds) == [4_000_000])
    #expect(try TaskGraphFile.load(path: folder["proj/build.ninja"]).tasks == graph.tasks)
  }

  @Test func theLogMayLieInTheBuildDirectory() throws {
    let folder = try TestFolder([
      "build.ninja": "builddir = o\n" + Self.ninja, "o/.ninja_log": Self.log,
    ])
    #expect(try TaskGraphFile.load(path: folder.path).tasks.count == 1)
  }

  /// Files that are none, and a word of the message.
  @Test(arguments: [
    ("absent.json", nil, "does not exist"), ("empty.json", "", "empty"), ("empty.dot", "", "empty"),
    ("empty", "", "empty"), ("text", "hello world", "no known kind"),
    ("text.json", "hello", "an object"),
    ("text.dot", "hello", "`digraph`"), ("text.ninja", "hello", "`=`"),
    ("build.ninja", ninja, "log of the build is missing"),
  ])
  func badFilesSayWhatIsWrong(name: String, content: String?, word: String) throws {
    let folder = try TestFolder(content.map { [name: $0] } ?? [:])
    let error = try #require(
      failure { () throws(TaskGraphError) in try TaskGraphFile.load(path: folder[name]) })
    #expect(error.description.contains(word))
    #expect(error.description.hasPrefix(folder.path))
  }

  @Test func foldersDevicesAndMissingIncludesAreRefused() throws {
    let folder = try TestFolder([
      "build.ninja": "\n include gone.ninja\n".replacing(" ", with: ""), "x/y.json/z": "",
    ])
    for (path, word) in [
      (folder["x"], "without a build.ninja"), (folder["x/y.json"], "folder"),
      ("/dev/zero", "regular"),
    ] {
      let error = try #require(
        failure { () throws(TaskGraphError) in try TaskGraphFile.load(path: path) })
      #expect(error.finding.contains(word))
    }
    #expect(
      failure { () throws(TaskGraphError) in try TaskGraphFile.load(path: folder.path) } != nil)
  }

  @Test func aMissingIncludeIsNamedWhereItIsIncluded() throws {
    let folder = try TestFolder(["build.ninja": "\ninclude gone.ninja\n"])
    let error = try #require(
      failure { () throws(TaskGraphError) in try TaskGraphFile.load(path: folder.path) })
    #expect(error.line == 2)
    #expect(error.path == folder["build.ninja"])
    #expect(error.finding.contains("gone.ninja"))
  }

  @Test func randomBytesNeverCrash() throws {
    var generator = Generator(state: 20_240_607)
    let alphabet = Array("{}[]\",:->=;<>$|\n \t\\#/*ab1.digraph build rule tasks \u{0}\u{FF}".utf8)
    for _ in 0..<3_000 {
      let bytes = (0..<Int(generator.next() % 120)).map { _ in
        alphabet[Int(generator.next() % UInt64(alphabet.count))]
      }
      for format in TaskGraph.Format.allCases {
        for prefix in ["", "{\"a\":", "digraph{", "build a: phony "] {
          let text = Array(prefix.utf8) + bytes
          if let error = failure({ () throws(TaskGraphError) in
            try TaskGraphFile.parse(text, format: format, path: "x")
          }) {
            #expect(!error.finding.isEmpty)
          }
        }
      }
    }
  }

  /// A linear congruential generator with Knuth's constants; quality does not matter here, repeatability does.
  private struct Generator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }
}
