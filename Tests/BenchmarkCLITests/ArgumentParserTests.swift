// SPDX-License-Identifier: Apache-2.0

import Harness
import Measurement
import Testing

@testable import BenchmarkCLI

@Suite struct ArgumentParserTests {
  private let parser = ArgumentParser(
    workloadNames: ["chain", "fan", "fork-join"],
    suites: SuiteShelf([
      ShippedSelection(
        name: "s", bytes: Array(#"{"summary": "s", "expected": "1s"}"#.utf8), folder: "")
    ]))

  private func request(_ words: String..., environment: [String: String] = [:]) throws
    -> RunRequest
  {
    try RunRequest(try parser.parse(words, environment: environment))
  }

  private func failure(_ words: String..., environment: [String: String] = [:]) -> ToolFailure? {
    do throws(ToolFailure) {
      _ = try parser.parse(words, environment: environment)
      return nil
    } catch { return error }
  }

  @Test func runIsTheDefaultVerb() throws {
    #expect(try parser.parse([]).wish == .verb(.run))
    #expect(try parser.parse(["--quick"]).wish == .verb(.run))
    #expect(try parser.parse(["chain"]).wish == .verb(.run))
    #expect(try parser.parse(["run", "chain"]).words == ["chain"])
  }

  @Test(arguments: Verb.allCases) func verbsAndTheirHelpAreRecognised(verb: Verb) throws {
    #expect(try parser.parse([verb.rawValue]).wish == .verb(verb))
    #expect(try parser.parse([verb.rawValue, "--help"]).wish == .help(verb))
  }

  @Test func helpAndVersionWinOverWhatFollows() throws {
    #expect(try parser.parse(["--help", "--nonsense"]).wish == .help(nil))
    #expect(try parser.parse(["-h"]).wish == .help(nil))
    #expect(try parser.parse(["--version"]).wish == .version)
  }

  @Test(arguments: ["abc", "1.5", "-", "2x"]) func aCountThatIsNoNumberIsCalledThat(text: String) {
    #expect(failure("--workers", text)?.finding == "`\(text)` is not a whole number")
  }

  @Test(arguments: ["0", "-3", "99999999999999999999"]) func aCountOutOfRange(text: String) {
    #expect(failure("--workers", text)?.finding == "`\(text)` is out of range")
  }

  @Test func everyRunOptionReachesTheRequest() throws {
    let made = try request(
      "run", "chain", "--filter", "c.*", "--scheduler", "inline,dispatch", "--workers", "1,2",
      "--where", "n=64,512", "--quick", "--budget", "90s", "--seed", "7", "--processes", "4",
      "--allocator", "system", "--cpus", "1", "--reference", "foundation", "--graph", "a.json",
      "--graph", "b.dot", "--time-scale", "0.5", "--body", "work", "--output", "o.csv", "--force",
      "--format", "json", "--allow-debug", "--dry-run", "--color", "never", "--no-progress",
      "--quiet")
    #expect(made.measurement.workloadNames == ["chain"])
    #expect(made.measurement.filter == "c.*")
    #expect(made.measurement.schedulers == ["inline", "dispatch"])
    #expect(made.measurement.workers == [1, 2])
    #expect(made.measurement.axes == [AxisSelection(axis: "n", values: [64, 512])])
    #expect(made.measurement.isQuick && made.force && made.allowDebug && made.dryRun && made.quiet)
    #expect(!made.showsProgress)
    #expect(made.measurement.totalBudget == .seconds(90))
    #expect(made.measurement.seed == 7)
    #expect(made.measurement.rounds == 4)
    #expect(made.measurement.allocator == .system)
    #expect(made.measurement.cpus == 1)
    #expect(made.measurement.references == ["foundation"])
    #expect(made.graphPaths == ["a.json", "b.dot"])
    #expect(made.measurement.timeScale == 0.5)
    #expect(made.measurement.body == .work)
    #expect(made.output == "o.csv")
    #expect(made.format == .json)
    #expect(made.color == "never")
  }

  @Test func everyOptionOfTheTableIsTakenFromItsEnvironmentVariable() throws {
    let samples: [OptionName: String] = [
      .suite: "s", .filter: "a", .tag: "t", .scheduler: "inline", .workers: "2", .axes: "n=1",
      .quick: "1",
      .budget: "5s", .seed: "3", .processes: "2", .allocator: "system", .cpus: "1",
      .reference: "foundation", .graph: "g", .timeScale: "2", .body: "spin", .output: "o",
      .force: "yes", .format: "json", .allowDebug: "true", .dryRun: "on", .color: "never",
      .noProgress: "1", .quiet: "1", .check: "f", .history: "h", .since: "c", .commit: "r",
      .pairs: "30", .metric: "cpu", .tolerance: "2%", .equivalence: "5", .base: "v1", .binary: "x",
      .buildOptions: "-v", .record: "1", .allocations: "1", .baseline: "b.csv", .explain: "1",
      .recording: "r",
      .full: "1", .samples: "1", .limits: "l", .requireConclusive: "1", .failOnImprovement: "1",
      .counts: "off", .against: "b", .trace: "t", .perfetto: "p", .detail: "full",
      .breakOver: "5ms", .sched: "1", .perf: "1", .heap: "1", .simulate: "1", .policy: "fifo",
      .overhead: "x2",
      .importing: "i",
    ]
    for option in OptionTable.all {
      let text = try #require(samples[option.name], "no sample for \(option.name.flag)")
      let verb = try #require(option.verbs.first)
      let parsed = try parser.parse(
        [verb.rawValue], environment: [option.name.environmentVariable: text])
      #expect(parsed.values[option.name]?.isEmpty == false, "\(option.name.flag)")
    }
  }

  @Test func theCommandLineWinsOverTheEnvironment() throws {
    let environment = ["BENCH_SEED": "1", "BENCH_TIME_SCALE": "2", "BENCH_QUICK": "0"]
    let made = try request("--seed", "9", environment: environment)
    #expect(made.measurement.seed == 9)
    #expect(made.measurement.timeScale == 2)
    #expect(!made.measurement.isQuick)
  }

  @Test func internalVariablesAreNoOptions() throws {
    let made = try parser.parse([], environment: ["BENCH_NO_REEXEC": "1", "BENCH_PADDING": "x"])
    #expect(made.values.isEmpty)
  }

  @Test func aValueMayFollowAnEqualsSign() throws {
    #expect(try request("--budget=500ms").measurement.budget == .milliseconds(500))
    #expect(try request("--where=n=3").measurement.axes == [AxisSelection(axis: "n", values: [3])])
    #expect(
      try request("--where=pin=none,compact").measurement.axes
        == [AxisSelection(axis: "pin", values: ["none", "compact"])])
  }

  @Test func twoHyphensEndTheOptions() throws {
    #expect(try request("--quick", "--", "chain").measurement.workloadNames == ["chain"])
    #expect(failure("--", "--quick")?.place == "--quick")
  }

  @Test func listsAddUpAndDropRepetitions() throws {
    let made = try request(
      "--workers", "1,2", "--workers", "2,4", "--where", "n=1,width=2,3", "--where", "n=4")
    #expect(made.measurement.workers == [1, 2, 4])
    #expect(
      made.measurement.axes == [
        AxisSelection(axis: "n", values: [1, 4]), AxisSelection(axis: "width", values: [2, 3]),
      ])
  }

  @Test func anAxisMayNameItsWorkloadAndHaveDecimals() throws {
    #expect(
      try request("--where", "n=1,uts.q=0.250,0.5,uts.n=3").measurement.axes == [
        AxisSelection(axis: "n", values: [1]),
        AxisSelection(axis: "q", of: "uts", values: ["0.250", "0.5"]),
        AxisSelection(axis: "n", of: "uts", values: [3]),
      ])
    for text in [".n=1", "uts.=1", "a.b.c=1", "n=1e3", "n=0.", "=1"] {
      #expect(failure("--where", text)?.code == .usage, "\(text)")
    }
  }

  @Test func theLastOfAnOptionThatDoesNotRepeatWins() throws {
    #expect(try request("--seed", "1", "--seed", "2").measurement.seed == 2)
  }

  @Test(arguments: [
    (["--sceduler", "x"], "did you mean `--scheduler`?"),
    (["chian"], "did you mean `chain`?"),
    (["run", "forkjoin"], "did you mean `fork-join`?"),
    (["lst"], "did you mean `list`?"),
    (["--quick", "list"], "write the verb first: `bench list`"),
    (["list", "--seed", "1"], "it belongs to `bench run`"),
    (["--format", "jso"], "did you mean `json`?"),
    (["--completely-unknown"], "see `bench run --help`"),
  ]) func unknownNamesSuggestTheNearest(words: [String], hint: String) {
    do {
      _ = try parser.parse(words)
      Issue.record("accepted \(words)")
    } catch {
      #expect(error.code == .usage)
      #expect(error.nextStep == hint)
    }
  }

  @Test(arguments: [
    ["--quick=1"], ["--seed"], ["--seed", "--quick"], ["--seed", "-1"], ["--workers", "0"],
    ["--workers", "1,,2"], ["--processes", "x"], ["--budget", "60"], ["--budget", "1ms"],
    ["--budget", "infs"], ["--time-scale", "0"], ["--time-scale", "nan"], ["--filter", "("],
    ["--where", "512"], ["--where", "n=X"], ["--where", "n=1e3"], ["--where", "=1"],
    ["--where", "n=1,"],
    ["--allocator", "tcmalloc"], ["--output="], ["-q"], ["list", "chian"], ["schema", "x"],
  ]) func malformedValuesAreUsageErrors(words: [String]) {
    do {
      _ = try parser.parse(words)
      Issue.record("accepted \(words)")
    } catch {
      #expect(error.code == .usage)
      #expect(!error.place.isEmpty && !error.finding.isEmpty)
    }
  }

  @Test func aMalformedEnvironmentVariableIsNamed() {
    #expect(failure(environment: ["BENCH_SEED": "x"])?.place == "BENCH_SEED")
    #expect(failure(environment: ["BENCH_QUICK": "maybe"])?.place == "BENCH_QUICK")
  }

  @Test func aHyphenedFilterValueIsTaken() throws {
    #expect(try request("--filter", "-x").measurement.filter == "-x")
  }
}
