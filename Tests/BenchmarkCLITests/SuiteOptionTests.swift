// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Measurement
import SuiteFiles
import TestFolders
import Testing
import Workloads

@testable import BenchmarkCLI

/// What `--suite` does to a command line.
struct SuiteOptionTests {
  private static let mine = """
    {
      "summary": "mine", "expected": "1m", "workloads": ["chain", "fan"],
      "options": {
        "workers": "1..N", "quick": true, "processes": 7, "tag": "dependency", "pairs": 30
      }
    }
    """

  private func parse(
    _ words: [String], suite: String = mine, environment: [String: String] = [:]
  ) throws(ToolFailure) -> ParsedArguments {
    try ArgumentParser(
      workloadNames: WorkloadCatalog.all.map(\.name),
      suites: SuiteShelf([
        ShippedSelection(name: "mine", bytes: Array(suite.utf8), folder: "/graphs")
      ]),
      cpuCount: 3
    )
    .parse(words, environment: environment)
  }

  private func refusal(
    _ words: [String] = ["run", "--suite", "mine"], suite: String = mine
  ) -> ToolFailure? {
    do throws(ToolFailure) {
      _ = try parse(words, suite: suite)
      return nil
    } catch { return error }
  }

  @Test func itsOptionsStandForWhatIsNotTyped() throws {
    let parsed = try parse(["run", "--suite", "mine"])
    let request = try RunRequest(parsed)
    #expect(request.suite == "mine")
    #expect(request.measurement.workloadNames == ["chain", "fan"])
    #expect(request.measurement.tags == ["dependency"])
    #expect(request.measurement.workers == [1, 2, 3])
    #expect(request.measurement.isQuick && request.measurement.processes == 7)
    #expect(parsed.typed == [.suite])
  }

  @Test func whatIsTypedReplacesWhatItSays() throws {
    let request = try RunRequest(
      try parse(["run", "layered", "--suite", "mine", "--workers", "2", "--processes=9"]))
    #expect(request.measurement.workloadNames == ["layered"])
    #expect(request.measurement.tags == nil)
    #expect(request.measurement.workers == [2] && request.measurement.processes == 9)
    #expect(request.measurement.isQuick)
  }

  @Test func theEnvironmentGoesBeforeIt() throws {
    let request = try RunRequest(
      try parse(["run"], environment: ["BENCH_SUITE": "mine", "BENCH_PROCESSES": "11"]))
    #expect(request.suite == "mine")
    #expect(request.measurement.processes == 11)
  }

  @Test func aFileIsASuite() throws {
    try TestDirectory.with { folder in
      let file = folder + "/own.json"
      try Data(Self.mine.utf8).write(to: URL(filePath: file))
      let request = try RunRequest(try parse(["run", "--suite", file]))
      #expect(request.suite == file && request.measurement.workloadNames == ["chain", "fan"])
    }
  }

  @Test func pathsOfASuiteBeginInItsFolder() throws {
    let suite = """
      {
        "summary": "s", "expected": "1s",
        "options": { "graph": ["a.csv", "sub/b.csv", "/c.csv", "-"] }
      }
      """
    let paths = ["/graphs/a.csv", "/graphs/sub/b.csv", "/c.csv", "-"]
    #expect(try parse(["run", "--suite", "mine"], suite: suite).texts(.graph) == paths)
    try TestDirectory.with { folder in
      try Data(suite.utf8).write(to: URL(filePath: folder + "/own.json"))
      #expect(
        try parse(["run", "--suite", folder + "/own.json"]).texts(.graph)
          == ["\(folder)/a.csv", "\(folder)/sub/b.csv", "/c.csv", "-"])
    }
    let typed = try parse(["run", "--suite", "mine", "--graph", "mine.csv"], suite: suite)
    #expect(typed.texts(.graph) == ["mine.csv"])
  }

  @Test func anUnknownNameSaysWhichThereAre() throws {
    let failure = try #require(refusal(["run", "--suite", "mime"]))
    #expect(failure.code == .usage && failure.place == "--suite")
    #expect(failure.description.contains("mine"))
  }

  @Test(arguments: [
    (#"{"output": "x.csv"}"#, "mine: options.output", "no suite sets this option"),
    (#"{"workers": 0}"#, "mine: options.workers", "out of range"),
    (#"{"budget": "soon"}"#, "mine: options.budget", "no time span"),
    (#"{"quick": "yes"}"#, "mine: options.quick", "takes no value"),
    (#"{"workers": true}"#, "mine: options.workers", "has no value"),
    (#"{"budget": ["1s", "2s"]}"#, "mine: options.budget", "2 values"),
  ])
  func whatItMayNotSayIsRefused(options: String, place: String, finding: String) throws {
    let failure = try #require(
      refusal(suite: #"{"summary": "s", "expected": "1s", "options": \#(options)}"#))
    #expect(failure.code == .malformedInput && failure.place == place, "\(failure)")
    #expect(failure.finding.contains(finding), "\(failure)")
  }

  @Test(arguments: [
    ("4", [4]), ("1..4", [1, 2, 3, 4]), ("1..N", [1, 2, 3, 4, 5, 6]), ("N", [6]),
    ("1..16x2", [1, 2, 4, 8, 16]), ("1..Nx2", [1, 2, 4, 6]), ("3..3", [3]), ("2..2x2", [2]),
  ])
  func aRangeOfWorkersIsEveryCountOrDoubles(text: String, counts: [Int]) throws {
    let range = try CountRange(text, within: 1...1024, cpuCount: 6, place: "--workers")
    #expect(range.counts == counts)
  }

  @Test(arguments: ["4..1", "..4", "1..", "1..2..3", "1..1025", "1..4x3", "n"])
  func anotherRangeIsRefused(text: String) {
    #expect(throws: ToolFailure.self) {
      _ = try CountRange(text, within: 1...1024, cpuCount: 6, place: "--workers")
    }
  }

  @Test func aValueForEachWorkerGrowsWithTheirNumber() throws {
    let request = try RunRequest(
      try parse(["run", "chain", "--workers", "1,4", "--where", "n=100*workers,7"]))
    let suite = Suite(
      schedulers: [SchedulerEntry(name: "none", summary: "") { _ in fatalError("not run") }],
      workloads: WorkloadCatalog.all)
    let plan = try Planner(suite: suite, request: request.measurement, cpuCount: 4)
      .plan(freshSeed: 1)
    let sizes = plan.groups.map { "\($0.workers): \($0.parameters.value(of: "n")!)" }
    #expect(sizes == ["1: 7", "4: 7", "1: 100", "4: 400"])
  }

  @Test func aValueForEachWorkerIsCheckedForEveryCount() throws {
    let request = try RunRequest(
      try parse(["run", "chain", "--workers", "1,1000", "--where", "n=1000000*workers"]))
    let suite = Suite(
      schedulers: [SchedulerEntry(name: "none", summary: "") { _ in fatalError("not run") }],
      workloads: WorkloadCatalog.all)
    #expect(throws: PlanError.self) {
      _ = try Planner(suite: suite, request: request.measurement, cpuCount: 4).plan(freshSeed: 1)
    }
  }
}
