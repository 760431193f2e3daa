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

  @Test func aFolderAndItsManifestHaveOneName() throws {
    let folder = try TestFolder(["zstd-1.5/build.ninja": Self.ninja])
    let file = try TaskGraphFile.file(at: folder["zstd-1.5"])
    #expect(file == folder["zstd-1.5/build.ninja"])
    #expect(try TaskGraphFile.file(at: folder["zstd-1.5/"]) == file)
    #expect(TaskGraphFile.names(of: file).last == "zstd-1.5")
    #expect(TaskGraphFile.names(of: "/a/./b/../c.d/build.ninja") == ["a", "c.d"])
    #expect(TaskGraphFile.names(of: "/a/c.x.dot") == ["a", "c.x"])
    #expect(TaskGraphFile.names(of: "/a/.dot") == ["a", ".dot"])
    let here = FileManager.default.currentDirectoryPath.split(separator: "/").last.map(String.init)
    #expect(TaskGraphFile.names(of: "./build.ninja").last == here)
    #expect(TaskGraphFile.names(of: "build.ninja").last == here)
  }

  @Test func aPipedGraphIsKnownByItsContent() throws {
    let folder = try TestFolder([
      "1": Self.json, "2": "digraph { a }", "3": Self.ninja, "4": "hello", "5": "",
    ])
    #expect(try TaskGraphFile.load(piped: folder["1"], name: "stdin").source == .wfcommons)
    #expect(try TaskGraphFile.load(piped: folder["2"], name: "stdin").source == .dot)
    for (file, word) in [("3", "how long"), ("4", "no known kind"), ("5", "empty")] {
      let error = try #require(
        failure { () throws(TaskGraphError) in
          try TaskGraphFile.load(piped: folder[file], name: "stdin")
        })
      #expect(error.path == "stdin")
      #expect(error.finding.contains(word))
    }
  }

  @Test func aManifestThatIncludesItselfIsNamed() throws {
    let folder = try TestFolder([
      "a/build.ninja": "rule r\ninclude build.ninja\n", "a/.ninja_log": Self.log,
      "b/build.ninja": "rule r\ninclude ./x.ninja\n", "b/x.ninja": "include ../b/build.ninja\n",
      "c/build.ninja": "rule r\ninclude link.ninja\n",
    ])
    try FileManager.default.createSymbolicLink(
      atPath: folder["c/link.ninja"], withDestinationPath: "build.ninja")
    for (name, place, line) in [
      ("a", folder["a/build.ninja"], 2), ("b", "./x.ninja", 1), ("c", folder["c/build.ninja"], 2),
    ] {
      let error = try #require(
        failure { () throws(TaskGraphError) in try TaskGraphFile.load(path: folder[name]) })
      #expect(error.finding.contains("is included from inside itself"), "\(error)")
      #expect(error.path == place)
      #expect(error.line == line)
    }
  }

  @Test func linksToNothingAreCalledThat() throws {
    let folder = try TestFolder(["build.ninja": Self.ninja])
    for (name, target) in [("a.dot", "gone.dot"), ("b.dot", "b.dot"), (".ninja_log", "/none")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder[name], withDestinationPath: target)
      let path = name == ".ninja_log" ? folder.path : folder[name]
      let error = try #require(
        failure { () throws(TaskGraphError) in try TaskGraphFile.load(path: path) })
      #expect(error.path == folder[name])
      #expect(error.finding == "this is a link to `\(target)`, which leads to no file")
    }
  }

  @Test func pipesAreToldHowTheyGoIn() throws {
    let folder = try TestFolder()
    try #require(unsafe mkfifo(folder["a.dot"], 0o600) == 0)
    let pipe = Pipe()
    let paths = [folder["a.dot"], "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"]
    for path in paths {
      let error = try #require(
        failure { () throws(TaskGraphError) in try TaskGraphFile.load(path: path) })
      #expect(error.finding == "this is a pipe, which can be read once only")
      #expect(error.remedy == "let it be standard input and name `-`, or name a file")
    }
    try pipe.fileHandleForReading.close()
  }

  /// Files whose lines end in carriage returns alone, with the column of the first that matters.
  @Test(arguments: [
    ("build.ninja", "rule r\rbuild a: r\r", 7), ("build.ninja", "# x\rrule r\rbuild a: r\r", 4),
    ("build.ninja", "a = b\rrule r\n", 6), ("g.dot", "digraph {\r// x\ra -> b\r}\r", 15),
    ("g.dot", "# x\rdigraph { a }", 4),
  ])
  func loneCarriageReturnsAreCalledThat(name: String, text: String, column: Int) throws {
    let folder = try TestFolder([name: text, ".ninja_log": Self.log])
    let error = try #require(
      failure { () throws(TaskGraphError) in try TaskGraphFile.load(path: folder[name]) })
    #expect(error.finding == "found a carriage return without a line feed")
    #expect(error.line == 1)
    #expect(error.column == column)
  }

  @Test func carriageReturnsInALogAreNotCalledTheEndOfTheLine() throws {
    let folder = try TestFolder([
      "build.ninja": Self.ninja, ".ninja_log": Self.log.replacing("\n", with: "\r\n"),
    ])
    let error = try #require(
      failure { () throws(TaskGraphError) in try TaskGraphFile.load(path: folder.path) })
    #expect(error.finding == "found a carriage return")
    #expect(error.remedy.contains("line feeds"))
  }

  @Test func aByteOrderMarkIsReadOverWhereTheFormatAllowsIt() throws {
    let mark = "\u{FEFF}"
    let folder = try TestFolder([
      "a.json": mark + Self.json, "a.dot": mark + "digraph { a }", "build.ninja": mark + Self.ninja,
      ".ninja_log": Self.log,
    ])
    #expect(try TaskGraphFile.load(path: folder["a.json"]).tasks.count == 1)
    #expect(try TaskGraphFile.load(path: folder["a.dot"]).tasks.count == 1)
    let error = try #require(
      failure { () throws(TaskGraphError) in try TaskGraphFile.load(path: folder.path) })
    #expect(error.finding == "found a byte order mark")
  }

  @Test func sizesAndFingerprintsTellGraphsApart() throws {
    let graph = try readDOT("digraph { a [duration=1]; a -> b; a -> c; b -> c; a -> c }")
    #expect(graph.edgeCount == 3)
    #expect(graph.fingerprint.count == 16)
    let others = [
      "digraph { a [duration=1]; a -> b; a -> c }",
      "digraph { a [duration=2]; a -> {b c}; b -> c }",
      "digraph { x [duration=1]; x -> {b c}; b -> c }",
      "digraph { a [duration=1]; a -> {b c}; c -> b }",
    ]
    let prints = try others.map { try readDOT($0).fingerprint } + [graph.fingerprint]
    #expect(Set(prints).count == prints.count)
    #expect(
      try readDOT("digraph g { a [duration=1.0]; a -> {b c} b -> c }").fingerprint
        == graph.fingerprint)
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

  /// A linear congruential generator with Knuth's constants; quality does not matter here,
  /// repeatability does.
  private struct Generator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }
}
