// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Measurement
import MeasurementFixtures
import Results
import TestFolders
import Testing

@testable import BenchmarkCLI

/// What a tool wrote.
private final class Transcript {
  var out = ""
  var talk = ""

  func console(terminal: Bool = false) -> Console {
    Console(
      out: { self.out += $0 }, talk: { self.talk += $0 }, outIsTerminal: terminal,
      talkIsTerminal: terminal)
  }
}

@Suite struct CommandLineToolTests {
  private func run(_ words: [String], environment: [String: String] = [:]) -> (
    code: ExitCode, out: String, talk: String
  ) {
    let transcript = Transcript()
    let tool = CommandLineTool(
      suite: Fixtures.suite, environment: environment, console: transcript.console())
    let code = tool.run(words)
    return (code, transcript.out, transcript.talk)
  }

  @Test(
    arguments: [
      (["--sead", "1"], 64), (["nothing"], 64), (["--filter", "^$"], 69), (["--where", "x=1"], 64),
      (["--graph", "/does/not/exist.json"], 65), (["--cpus", "1000"], 64),
      (["schema", "--check", "/does/not/exist.csv"], 65), (["--help"], 0), (["--version"], 0),
      (["list"], 0), (["schema"], 0), (["--dry-run"], 0), (["help"], 0), (["help", "run"], 0),
      (["help", "chain"], 64), (["help", "run", "x"], 64), ([""], 64), (["run", ""], 64),
      (["list", "chain", "inline"], 0), (["list", "chian"], 64),
      (["--output", "-", "--format", "json", "--dry-run"], 64),
      (["--samples", "--output", "-", "--dry-run"], 64), (["compare", "--samples"], 64),
      (["counts", "chian"], 64), (["counts", "--scheduler", "chain"], 64),
      (["counts", "chain", "--where", "width=1"], 64),
      (["counts", "--explain", "--format", "csv"], 64),
      (["counts", "--workers", "0"], 64), (["counts", "--record=yes"], 64),
      (["counts", "chain", "--budget", "1s"], 64), (["counts", "--base", "main", "--record"], 64),
      (["counts", "--build-options", "-v"], 64),
      (["counts", "--help"], 0),
      (["selftest", "--dry-run"], 0), (["selftest", "chain"], 64),
      (["selftest", "--budget", "1"], 64), (["selftest", "--help"], 0),
    ] as [([String], Int32)]) func exitCodesAreThoseOfTheContract(words: [String], code: Int32)
  {
    let result = run(words)
    #expect(result.code.rawValue == code, "\(result)")
    #expect((code == 0) == result.talk.isEmpty)
    #expect((code == 0) == !result.out.isEmpty)
  }

  /// `scripts/bench` says so to every verb, whether it builds a revision or not.
  @Test(arguments: [["counts"], ["check"], ["compare", "a.csv", "b.csv"], ["history", "scan"]])
  func howRevisionsAreBuiltMayStandInTheEnvironment(words: [String]) throws {
    let parsed = try ArgumentParser(workloadNames: ["chain"]).parse(
      words, environment: ["BENCH_BUILD_OPTIONS": "--traits OneTBB"])
    #expect(parsed.buildOptions == ["--traits", "OneTBB"])
    switch parsed.wish {
    case .verb(.counts): #expect(try CountsRequest(parsed).base == nil)
    case .verb(.check): #expect(try CheckRequest(parsed).compare.buildOptions.count == 2)
    case .verb(.compare): #expect(try CompareRequest(parsed).buildOptions.count == 2)
    case .verb(.history): #expect(try HistoryRequest(parsed).action == .scan)
    default: Issue.record("expected a verb that builds revisions, not \(words)")
    }
  }

  @Test func aMessageHasPlaceFindingExpectationAndNextStep() {
    #expect(
      run(["--scheduler", "dispach"]).talk
        == "bench: --scheduler: unknown scheduler `dispach`; expected inline, dispatch, "
        + "work-stealing; did you mean `dispatch`?\n")
  }

  @Test func helpOfEveryVerbListsItsOptionsAndExamples() {
    for verb in Verb.allCases {
      let page = run([verb.rawValue, "--help"]).out
      for option in OptionTable.options(of: verb) { #expect(page.contains(option.name.flag)) }
      for example in verb.examples { #expect(page.contains("  \(example.command)\n")) }
      #expect(page.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }
  }

  @Test func examplesOfTheHelpAreAccepted() throws {
    let parser = ArgumentParser(
      workloadNames: ["chain", "wavefront"], otherNames: ["work-stealing"])
    for verb in Verb.allCases {
      for example in verb.examples {
        let words = example.command.split(separator: " ").dropFirst().map {
          String($0).replacing("'", with: "")
        }
        _ = try parser.parse(words)
      }
    }
  }

  @Test func listAsJSONHasOneObjectPerWorkloadAndPerScheduler() {
    #expect(
      run(["list", "--format", "json"]).out == """
        [
          {"name": "chain", "summary": "chain of the tests", "tags": ["test"], "axes": \
        [{"name": "n", "summary": "size", "real": 100000, "quick": 10, "smoke": 1, "minimum": 1, \
        "maximum": 1000000}]},
          {"name": "fan", "summary": "fan of the tests", "tags": ["test"], "axes": \
        [{"name": "rounds", "summary": "size", "real": 200, "quick": 10, "smoke": 1, "minimum": 1, \
        "maximum": 1000000}, {"name": "width", "summary": "size", "real": 1000, "quick": 10, \
        "smoke": 1, "minimum": 1, "maximum": 1000000}]},
          {"name": "latency", "summary": "latency of the tests", "tags": ["test"], "axes": \
        [{"name": "n", "summary": "size", "real": 500, "quick": 10, "smoke": 1, "minimum": 1, \
        "maximum": 1000}]}
        ]

        """)
  }

  @Test func listAsTextNamesEverything() {
    let text = run(["list"]).out
    for name in [
      "chain", "width=1000", "work-stealing", "foundation", "queue-delay", "does not show",
    ] {
      #expect(text.contains(name))
    }
  }

  @Test func schemaNamesEveryColumnAndMetric() {
    let text = run(["schema"]).out
    for column in Column.allCases { #expect(text.contains("  \(column.rawValue)")) }
    for metric in Metric.allCases { #expect(text.contains("  \(metric.rawValue)")) }
  }

  @Test func helpFitsATerminalOfEightyColumns() {
    for verb in [nil] + Verb.allCases {
      for line in HelpText.page(for: verb).split(separator: "\n") {
        #expect(line.count <= HelpText.width, "\(verb?.rawValue ?? "bench"): \(line)")
      }
    }
  }

  @Test func aDryRunShowsThePlanAndMeasuresNothing() {
    let text = run(["chain", "--dry-run", "--seed", "3", "--processes", "2"]).out
    #expect(text.contains("work-stealing  n:100000;workers:"))
    #expect(text.contains("2 rounds, 6 processes, seed 3, 80.0 s to measure"))
  }

  @Test func buildStatementsThatAreLeftOutOfAReplayAreNamed() throws {
    try TestDirectory.with { folder in
      try Data("rule r\nbuild a.o: r\nbuild b.o: r\nbuild app: r a.o b.o\n".utf8)
        .write(to: URL(filePath: "\(folder)/build.ninja"))
      try Data("# ninja log v5\n0\t4\t1\ta.o\tf\n4\t5\t1\tapp\tf\n".utf8)
        .write(to: URL(filePath: "\(folder)/.ninja_log"))
      let text = run(["--graph", folder, "--dry-run"]).out
      #expect(
        text.contains(
          "\n\(folder)/build.ninja: 1 of 3 build statements has no line in the log and is left out, "
            + "first `b.o`\n"))
    }
  }

  @Test func aGraphIsNamedOnce() throws {
    try TestDirectory.with { folder in
      let manifest = "\(folder)/build.ninja"
      try Data("rule r\nbuild a: r\n".utf8).write(to: URL(filePath: manifest))
      try Data("# ninja log v5\n0\t4\t1\ta\tf\n".utf8)
        .write(to: URL(filePath: "\(folder)/.ninja_log"))
      let once = "expected every graph once; leave one of them out\n"
      for (paths, finding) in [
        ([folder, manifest], "`\(manifest)` is the same graph as `\(folder)`"),
        ([manifest, manifest], "`\(manifest)` is named twice"), (["-", "-"], "`-` is named twice"),
      ] {
        let result = run(paths.flatMap { ["--graph", $0] } + ["--dry-run"])
        #expect(result.code == .usage)
        #expect(result.talk == "bench: --graph: \(finding); \(once)")
      }
    }
  }

  @Test func aDebugBuildRefusesToMeasureUnlessForced() throws {
    #expect(throws: ToolFailure.self) {
      try BuildFlavor.refuse(unless: false, flags: [.debug])
    }
    try BuildFlavor.refuse(unless: true, flags: [.debug])
    try BuildFlavor.refuse(unless: false, flags: [])
  }
}

@Suite struct TerminalStyleTests {
  @Test(
    arguments: [
      (nil, [:], true, true), (nil, [:], false, false), ("auto", ["NO_COLOR": "1"], true, false),
      ("auto", ["NO_COLOR": ""], true, true), ("auto", ["TERM": "dumb"], true, false),
      ("always", ["NO_COLOR": "1"], false, true), ("never", [:], true, false),
    ] as [(String?, [String: String], Bool, Bool)]) func colourFollowsOptionEnvironmentAndTerminal(
      option: String?, environment: [String: String], terminal: Bool, colored: Bool
    )
  {
    let style = TerminalStyle.resolve(
      option: option, environment: environment, isTerminal: terminal)
    #expect(style.isColored == colored)
  }

  @Test func progressNeedsATerminalThatCanRewriteALine() {
    var request = RunRequest()
    func isWanted(_ environment: [String: String] = [:], terminal: Bool = true) -> Bool {
      ProgressLine.isWanted(request: request, environment: environment, isTerminal: terminal)
    }
    #expect(isWanted())
    #expect(!isWanted(terminal: false))
    #expect(!isWanted(["TERM": "dumb"]))
    request.showsProgress = false
    #expect(!isWanted())
    request.showsProgress = true
    request.quiet = true
    #expect(!isWanted())
  }

  @Test func theProgressOfAProfileSaysHowLongItsPairsStillTake() {
    func text(pair: Int, after seconds: Int) -> String {
      ProgressLine.text(for: "dispatch", pair: pair, of: 10, elapsed: .seconds(seconds))
    }
    #expect(text(pair: 0, after: 0) == "dispatch, pair 1 of 10")
    #expect(text(pair: 4, after: 8) == "dispatch, pair 5 of 10, 12 s left of them")
  }

  @Test func aProgressLineSaysWhatRunsAndHowLong() throws {
    let plan = try Fixtures.plan()
    let event = Orchestrator.Event.starting(
      group: 0, contestant: 1, round: 1, done: 6, of: 72, secondsLeft: 48)
    #expect(
      ProgressLine.text(for: event, plan: plan)
        == "[ 7/72] chain, dispatch, round 2 of 8, 48 s left")
  }
}

@Suite struct ResultsPlaceTests {
  @Test func theEnvironmentFileLiesBesideTheOutput() {
    let place = ResultsPlace(output: "a/b.csv", overwrites: false)
    #expect(place.environment == "a/b.env.csv")
    #expect(place.samples == "a/b.samples.csv")
    let other = ResultsPlace(output: "a/b.txt", overwrites: false)
    #expect(other.environment == "a/b.txt.env.csv" && other.samples == "a/b.txt.samples.csv")
  }

  @Test func aPlaceThatCannotBeWrittenIsRefusedBeforehand() {
    func code(_ path: String, overwrites: Bool = false) -> ExitCode? {
      do {
        try ResultsPlace(output: path, overwrites: overwrites).prepare(makesFolder: false)
        return nil
      } catch { return error.code }
    }
    #expect(code("/proc/self/status") == .usage)
    #expect(code("/does/not/exist.csv") == .cannotCreate)
    #expect(code("/tmp") == .cannotCreate)
    #expect(code("/tmp/scheduler-bench-no-such-file.csv") == nil)
  }
}

@Suite struct ReleaseReexecutionTests {
  private func layout(_ path: String, package: String = "/home/me/suite")
    -> ReleaseReexecution.Layout?
  {
    .init(executable: path, isPackage: { $0 == package })
  }

  @Test func aDebugExecutableLeadsToItsReleaseTwin() throws {
    let layout = try #require(
      self.layout("/home/me/suite/.build/x86_64-unknown-linux-gnu/debug/bench"))
    #expect(layout.package == "/home/me/suite")
    #expect(layout.scratch == "/home/me/suite/.build")
    #expect(layout.product == "bench")
    #expect(layout.release == "/home/me/suite/.build/x86_64-unknown-linux-gnu/release/bench")
  }

  @Test func anyOtherPlaceIsLeftAlone() {
    #expect(layout("/usr/local/bin/bench") == nil)
    #expect(layout("/home/me/suite/.build/x/release/bench") == nil)
    #expect(layout("/elsewhere/.build/x/debug/bench") == nil)
  }
}
