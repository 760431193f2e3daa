// SPDX-License-Identifier: Apache-2.0

import Harness
import Results
import Testing

@testable import BenchmarkCLI

/// What is said of the time before it is spent.
@Suite struct EstimateTests {
  /// A replay of two graphs with a second of work each.
  private func plan(_ change: (inout RunRequest) -> Void) throws -> MeasurementPlan {
    let graphs = ["a.dot", "b.dot"].map {
      GraphSummary(path: $0, taskCount: 10, totalWorkNanoseconds: 1_000_000_000)
    }
    return try Fixtures.plan(
      {
        $0.graphs = graphs.map(\.path)
        change(&$0)
      }, graphs: graphs)
  }

  @Test func aBudgetWithoutRoomForSixRoundsSaysSoWithTheTimeItTakes() throws {
    let plan = try plan { $0.budget = .seconds(30) }
    // Per graph: 2 s of iterations in line, half of that with each of the two others; and six
    // children.
    #expect(
      abs(PlanEstimate(plan: plan).roundSeconds - (8 + 6 * PlanEstimate.childSeconds)) < 0.001)
    let note = try #require(plan.notes.first { $0.contains("--budget") })
    #expect(note.contains("--budget 30.0 s holds about 3 rounds"))
    #expect(note.contains("take about 48.7 s: --budget 49s"))
    #expect(plan.leastRounds == 0)
  }

  @Test func aBudgetWithoutRoomForOneRoundSaysSo() throws {
    let plan = try plan { $0.budget = .seconds(5) }
    let note = try #require(plan.notes.first { $0.contains("--budget") })
    #expect(note.contains("--budget 5.00 s holds no whole round; 6, from which"))
    let estimate = "estimate: about 5.00 s, in which no round of at least 8.12 s ends"
    #expect(PlanEstimate(plan: plan).text == estimate)
  }

  /// A process that replays minutes of work is not hung because the budget is short.
  @Test func aLongProcessIsNotTakenForAHungOne() throws {
    let short = try plan { $0.budget = .seconds(5) }
    #expect(short.childDeadline == .seconds(30))
    let long = try plan {
      $0.budget = .seconds(5)
      $0.timeScale = 60
    }
    // In line it takes 60 s to warm up and 60 s to measure.
    #expect(long.childDeadline >= .seconds(4 * 120))
  }

  @Test func aBudgetWithRoomSaysNothing() throws {
    #expect(try plan { $0.budget = .seconds(60) }.notes.allSatisfy { !$0.contains("budget") })
    #expect(try plan { _ in }.notes.allSatisfy { !$0.contains("budget") })
    #expect(try plan { _ in }.leastRounds == 6)
  }

  @Test func roundsThatTakeLongerThanTheBudgetAreNamed() throws {
    let notes = try plan {
      $0.budget = .seconds(30)
      $0.processes = 8
    }.notes
    #expect(notes.contains { $0.hasPrefix("8 rounds take about 65.0 s, more than the 30.0 s") })
    let quick = try plan { $0.isQuick = true }.notes
    #expect(
      quick.contains { $0.hasPrefix("6 rounds, from which schedulers are ranked, take about") })
  }

  @Test func aDryRunShowsAnEstimate() throws {
    let text = PlanText(plan: try plan { $0.budget = .seconds(30) }).text
    #expect(text.contains("\nestimate: about 30.0 s for 3 rounds of at least 8.12 s\n"))
  }

  @Test func moreWorkersThanCPUsAreNamed() throws {
    func notes(_ workers: [Int], cpus: Int? = nil) throws -> [String] {
      try Fixtures.plan {
        $0.workers = workers
        $0.cpus = cpus
      }.notes
    }
    #expect(try notes([1, 2]).isEmpty)
    #expect(
      try notes([2, 8]) == ["--workers 8: there are 2 CPUs; more workers than CPUs take turns"])
    #expect(try notes([2], cpus: 1).count == 1)
  }
}

/// What goes where, and what happens when it does not arrive.
@Suite struct DeliveryTests {
  private func run(
    _ words: [String], environment: [String: String] = [:], losesOutput: Bool = false
  )
    -> (code: ExitCode, out: String, talk: String)
  {
    var out = ""
    var talk = ""
    let console = Console(
      out: { text throws(ToolFailure) in
        out += text
        if losesOutput {
          throw ToolFailure(.inputOutput, place: "standard output", finding: "no space")
        }
      }, talk: { talk += $0 })
    let code = CommandLineTool(suite: Fixtures.suite, environment: environment, console: console)
      .run(words)
    return (code, out, talk)
  }

  @Test(arguments: [
    ["--help"], ["--version"], ["list"], ["schema"], ["--dry-run"], ["doctor"], ["help"],
  ])
  func lostOutputIsAFailureOfEveryVerb(words: [String]) {
    let result = run(words, losesOutput: true)
    #expect(result.code == .inputOutput)
    #expect(result.talk == "bench: standard output: no space\n")
  }

  @Test func theVersionNamesTheToolchain() {
    #expect(run(["--version"]).out.contains("Swift 6."))
  }

  @Test func aListOfNamesHasThemAndNothingElse() {
    let text = run(["list", "chain", "dispatch"]).out
    #expect(text.contains("chain of the tests") && text.contains("dispatch of the tests"))
    for word in ["fan of the tests", "work-stealing", "metrics", "references"] {
      #expect(!text.contains(word))
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test func aMisspeltVariableIsRefusedAndAStrangeOneNamed() {
    let wrong = run(["--dry-run"], environment: ["BENCH_WORKER": "1"])
    #expect(wrong.code == .usage)
    #expect(
      wrong.talk.contains(
        "BENCH_WORKER: no option has this variable; did you mean `BENCH_WORKERS`?"))
    let strange = run(["--dry-run"], environment: ["BENCH_COFFEE_MACHINE": "1"])
    #expect(strange.code == .success)
    #expect(
      strange.talk == "bench: BENCH_COFFEE_MACHINE: no option has this variable; it is ignored\n")
    #expect(run(["--dry-run"], environment: ["BENCH_PEERS": "off"]).talk.isEmpty)
  }

  @Test func standardOutputIsAPlaceForTheCSVAlone() throws {
    let parser = ArgumentParser(workloadNames: [])
    let request = try RunRequest(parser.parse(["--output", "-"]))
    #expect(request.outputIsStandard && request.format == .csv)
    #expect(try RunRequest(parser.parse(["--output", "-", "--format", "csv"])).outputIsStandard)
    #expect(throws: ToolFailure.self) {
      try RunRequest(parser.parse(["--output", "-", "--format", "text"]))
    }
  }

  @Test(arguments: [-1, -62_135_596_800, 253_402_300_800] as [Int64])
  func aClockBeyondWhatAResultCanSayIsRefused(seconds: Int64) throws {
    do {
      try RunSession.check(unixSeconds: seconds)
      Issue.record("accepted")
    } catch { #expect(error.description.contains("expected a moment from 1970 to 9999")) }
    try RunSession.check(unixSeconds: 0)
  }

  @Test func noMessageNamesTheProgramTwice() {
    do {
      try BuildFlavor.refuse(unless: false, flags: [.debug])
    } catch { #expect(!error.description.hasPrefix("bench")) }
    do {
      try ResultsPlace(output: "/proc/none/a.csv", overwrites: false).prepare(makesFolder: false)
      Issue.record("accepted")
    } catch { #expect(error.description.hasPrefix("/proc/none")) }
  }
}
