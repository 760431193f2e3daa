// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import TaskGraphFiles
import TestFolders
import Testing

/// `bench record` around real builds.
@Suite(
  .timeLimit(.minutes(2)),
  .enabled(if: BuildFacts.sanitizer == nil, "a shell that waits is slow under a sanitizer"))
struct RecordProcessTests {
  private static let areToolsThere = ["ninja", "make"].allSatisfy { name in
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }

  @Test func theToolsOfTheseTestsAreThere() {
    #expect(Self.areToolsThere, "install ninja and make: scripts/install-packages --examples")
  }

  /// A folder `project` with these files, and what `bench` does there.
  private struct Place {
    let folder: String
    var work: String { folder + "/project" }

    static func with(_ files: [String: String], _ body: (Place) throws -> Void) throws {
      try TestDirectory.with { folder in
        let place = Place(folder: folder)
        for (name, text) in files {
          let file = URL(filePath: "\(place.work)/\(name)")
          try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
          try text.write(to: file, atomically: true, encoding: .utf8)
        }
        try body(place)
        let left = TestDirectory.names(in: folder).filter { $0.hasPrefix("bench-record") }
        #expect(left.isEmpty, "\(left)")
      }
    }

    func start(_ words: [String]) throws -> GateProcess {
      try GateProcess(
        GatedRepository.fixture, ["record"] + words, in: work, scratch: folder,
        environment: ["BENCH_NO_REEXEC": "1", "MAKEFLAGS": "", "MAKELEVEL": ""])
    }

    func graph(_ name: String) throws -> TaskGraph {
      try TaskGraphFile.load(path: "\(work)/\(name)")
    }

    func has(_ name: String) -> Bool {
      FileManager.default.fileExists(atPath: "\(work)/\(name)")
    }
  }

  private func parents(_ graph: TaskGraph) -> [String: Set<String>] {
    Dictionary(
      uniqueKeysWithValues: graph.tasks.map { task in
        (task.name, Set(task.parents.map { graph.tasks[Int($0)].name }))
      })
  }

  // MARK: - Ninja

  private static let manifest = """
    time = 0.01
    rule copy
      command = sleep $time && cat $in > $out
    rule run
      command = $what
    build a.o: copy a.c
      time = 0.2
    build b.o: copy b.c
    build all: phony app
    build app: copy a.o b.o

    """

  @Test func aBuildByNinjaIsKeptAndASecondOneHasNothingToKeep() throws {
    try Place.with(["out/build.ninja": Self.manifest, "out/a.c": "a", "out/b.c": "b"]) { place in
      let build = try place.start(["--", "ninja", "-C", "out"])
      #expect(build.end() == 0, "\(build.said)")
      #expect(build.out.contains("sleep 0.2 && cat a.c > a.o"), "the build's output is its own")
      #expect(build.said.contains("bench: 3 tasks, 2 edges, "), "\(build.said)")
      let graph = try place.graph("out.csv")
      #expect(graph.name == "out")
      #expect(parents(graph) == ["a.o": [], "b.o": [], "app": ["a.o", "b.o"]])
      let longest = try #require(graph.tasks.first { $0.name == "a.o" }).durationNanoseconds
      #expect(longest >= 200_000_000)
      #expect(graph.facts.map(\.key) == ["name", "command", "machine", "recorded"])
      #expect(graph.facts[1].value == "ninja -C out")

      let again = try place.start(["--", "ninja", "-C", "out"])
      #expect(again.end() == 64 && again.out.isEmpty, "nothing is replaced, and nothing built")
      let second = try place.start(["--output", "second.csv", "--", "ninja", "-C", "out"])
      #expect(second.end() == 69, "\(second.said)")
      #expect(second.said.contains("ninja ran nothing to its end"), "\(second.said)")
      #expect(!place.has("second.csv"))

      // What is built again is recorded, and nothing else.
      try "more".write(toFile: place.work + "/out/b.c", atomically: true, encoding: .utf8)
      let third = try place.start(["--output", "third.csv", "--", "ninja", "-C", "out"])
      #expect(third.end() == 0, "\(third.said)")
      #expect(try parents(place.graph("third.csv")) == ["b.o": [], "app": ["b.o"]])
    }
  }

  @Test func aBuildThatFailsEndsAsItDidAndWhatRanIsKept() throws {
    let files = [
      "build.ninja": Self.manifest + "build bad: run a.o\n  what = exit 7\nbuild end: copy bad\n",
      "a.c": "", "b.c": "",
    ]
    try Place.with(files) { place in
      let build = try place.start(["--output", "g.csv", "--", "ninja", "-k0", "end", "app"])
      #expect(build.end() == 1, "\(build.said)")
      #expect(build.out.contains("FAILED: bad"))
      #expect(
        build.said.hasSuffix("bench: the build ended with 1; g.csv has what it ran until then\n"))
      let graph = try place.graph("g.csv")
      #expect(parents(graph) == ["a.o": [], "b.o": [], "app": ["a.o", "b.o"]])
      #expect(graph.facts.last == .init(key: "exit", value: "1"))

      let nowhere = try place.start(["--output", "h.csv", "--", "ninja", "-C", "nowhere"])
      #expect(nowhere.end() == 1)
      #expect(
        nowhere.said.contains(
          "bench: the build ended with 1, and nothing is recorded: nowhere/build.ninja: "),
        "\(nowhere.said)")
      #expect(!place.has("h.csv"))
    }
  }

  @Test func theKeyboardInterruptsTheBuildAlone() throws {
    let files = [
      "build.ninja":
        Self.manifest + "build wait: run a.o\n"
        + "  what = touch begun && while [ ! -e go ]; do sleep 0.01; done && touch wait\n"
        + "build stop: run a.o\n  what = kill -INT $$PPID && sleep 10\n",
      "a.c": "", "b.c": "",
    ]
    try Place.with(files) { place in
      let build = try place.start(["--output", "g.csv", "--", "ninja", "wait"])
      try build.wait { place.has("begun") }
      build.interrupt()
      try "".write(toFile: place.work + "/go", atomically: true, encoding: .utf8)
      #expect(build.end() == 0, "\(build.said)")
      #expect(try parents(place.graph("g.csv")) == ["a.o": [], "wait": ["a.o"]])

      try FileManager.default.removeItem(atPath: place.work + "/a.o")
      let stopped = try place.start(["--output", "h.csv", "--", "ninja", "stop"])
      let code = stopped.end()
      #expect(code == 2 || code == 130, "ninja's own code: \(code)")
      #expect(try parents(place.graph("h.csv")) == ["a.o": []])
    }
  }

  // MARK: - make

  private static let shell = "SHELL := /bin/bash\n.SHELLFLAGS := -eu -o pipefail -c\n"
  private static let makefile = """
    all: app sub-all
    app: a.o b.o
    \t@[[ -n $${BASH_VERSION} ]] && sleep 0.01
    \tcat $^ > $@
    a.o: a.c
    \tsleep 0.2; cp $< '$@'
    b.o: b.c | dir
    \t-false
    \tcp $< $@
    dir:
    \tmkdir dir
    sub-all: a.o
    \t$(MAKE) -C sub x y
    \t+@echo "a 'quoted' \\"line\\" with $$HOME"
    .PHONY: all sub-all

    """
  private static let inner = """
    y: x
    \tsleep 0.1; touch y
    x:
    \tsleep 0.1; touch x

    """

  @Test func aBuildByMakeIsKeptWithTheMakesInside() throws {
    let files = [
      "Makefile": Self.shell + Self.makefile, "sub/Makefile": Self.shell + Self.inner,
      "a.c": "a", "b.c": "b",
    ]
    try Place.with(files) { place in
      let build = try place.start(["--", "make", "-j2"])
      #expect(build.end() == 0, "\(build.said)")
      let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
      #expect(build.out.contains("a 'quoted' \"line\" with \(home)\n"), "\(build.out)")
      let graph = try place.graph("project.csv")
      #expect(
        parents(graph) == [
          "a.o": [], "dir": [], "b.o": ["dir"], "app": ["a.o", "b.o"], "sub/x": ["a.o"],
          "sub/y": ["sub/x"], "sub-all": ["a.o", "sub/y"],
        ])
      let times = Dictionary(
        uniqueKeysWithValues: graph.tasks.map { ($0.name, $0.durationNanoseconds) })
      #expect(times["a.o"]! >= 200_000_000 && times["sub/y"]! >= 100_000_000)
      #expect(times["sub-all"]! < 200_000_000, "the time inside is that of the inner recipes")

      let second = try place.start(["--output", "g.csv", "--", "make", "app"])
      #expect(second.end() == 69, "\(second.said)")
      #expect(second.said.contains("make: it ran no recipe"), "\(second.said)")
    }
  }

  @Test func aRecipeThatIsOneScriptOrFailsOrIsEndedIsWhatItIsWithoutUs() throws {
    let makefile = """
      .ONESHELL:
      all: good bad killed two\\ words
      good two\\ words:
      \tvalue=5
      \ttest $$value = 5 && touch '$@'
      bad: good
      \texit 3
      killed: good
      \tkill -TERM $$$$

      """
    try Place.with(["Makefile": makefile]) { place in
      let build = try place.start(["--", "make", "-k"])
      #expect(build.end() == 2, "\(build.said)")
      #expect(build.said.contains("[Makefile:7: bad] Error 3"), "\(build.said)")
      #expect(build.said.contains("[Makefile:9: killed] Terminated"), "\(build.said)")
      #expect(build.said.contains("bench: the build ended with 2; project.csv has what it ran"))
      let found = try parents(place.graph("project.csv"))
      #expect(found == ["good": [], "bad": ["good"], "killed": ["good"], "two words": []])
    }
  }

  @Test(arguments: [
    ("all:\n\t$(MAKE) -C sub\n", "/project/sub: recipes have the shell `/bin/bash -c`"),
    ("all: x\nx: override SHELL := /bin/bash\nx:\n\ttouch x\n", "/project: x: recipes have"),
  ])
  func aBuildOfSeveralShellsIsRefusedBeforeItRuns(makefile: String, message: String) throws {
    let inner = "SHELL := /bin/bash\nall:\n\ttouch ran\n"
    try Place.with(["Makefile": makefile, "sub/Makefile": inner]) { place in
      let build = try place.start(["--", "make"])
      #expect(build.end() == 64, "\(build.said)")
      #expect(build.said.contains(message), "\(build.said)")
      #expect(!place.has("sub/ran") && !place.has("x") && !place.has("project.csv"))
    }
  }

  @Test func makeStopsARecipeThroughTheShellThatTakesTheTime() throws {
    let makefile = """
      all:
      \ttrap 'touch ended; exit 1' TERM; touch begun; while :; do sleep 0.01; done

      """
    try Place.with(["Makefile": makefile]) { place in
      let build = try place.start(["--", "make", "all"])
      try build.wait { place.has("begun") }
      // As `kill` of make does: make ends its recipes by the same signal.
      let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      let makes = all.compactMap { Int32($0) }.filter { id in
        let folder = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/cwd")
        let name = try? String(contentsOfFile: "/proc/\(id)/comm", encoding: .utf8)
        return folder == place.work && name == "make\n"
      }
      #expect(makes.count == 1)
      for id in makes { kill(id, SIGTERM) }
      #expect(build.end() != 0 && place.has("ended"), "\(build.said)")
    }
  }

  // MARK: - Refusals

  @Test(arguments: [
    (["--"], Int32(64), "neither a command nor a file is named"),
    (["--", "cargo", "build"], 64, "it is neither ninja nor make"),
    (["--", "./ninja"], 72, "there is no such program"),
    (["--", "./make"], 72, "there is no such program"),
    (["--", "ninja", "-n"], 64, "with this option ninja builds nothing"),
    (["--", "ninja", "-C", "x", "-vt", "clean"], 64, "with this option ninja builds nothing"),
    (["--", "make", "--dry-run"], 64, "with this option make runs no recipe"),
    (["--", "make", "SHELL=/bin/sh"], 64, "the recording sets this variable itself"),
    (["--output", "-", "--", "make"], 64, "standard output is the build's"),
    (["--import", "g.csv", "--", "make"], 64, "there is a file to import"),
    (["--import", "none.csv"], 65, "--import: none.csv: "),
    (["--output", "no/where.csv", "--", "make"], 73, "no/where.csv"),
  ])
  func whatCannotBeRecordedIsRefusedBeforeItRuns(
    words: [String], code: Int32, message: String
  ) throws {
    try Place.with(["Makefile": "all:\n\ttouch ran\n"]) { place in
      let build = try place.start(words)
      #expect(build.end() == code, "\(build.said)")
      #expect(build.said.contains(message), "\(build.said)")
      #expect(!place.has("ran"))
    }
  }

  @Test func aGraphOfAnotherFormIsImported() throws {
    let dot = "digraph g { a [duration=1]; b [duration=0.5]; a -> b }\n"
    try Place.with(["in.dot": dot]) { place in
      let imported = try place.start(["--import", "in.dot"])
      #expect(imported.end() == 0, "\(imported.said)")
      let graph = try place.graph("in.csv")
      #expect(parents(graph) == ["a": [], "b": ["a"]])
      #expect(graph.totalWorkNanoseconds == 1_500_000_000)
      let printed = try place.start(["--import", "in.csv", "--output", "-", "--quiet"])
      #expect(printed.end() == 0 && printed.said.isEmpty, "\(printed.said)")
      #expect(try printed.out == String(contentsOfFile: place.work + "/in.csv", encoding: .utf8))
    }
  }
}
