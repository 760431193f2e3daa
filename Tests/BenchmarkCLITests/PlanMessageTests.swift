// SPDX-License-Identifier: Apache-2.0

import Harness
import Measurement
import MeasurementFixtures
import Testing

@testable import BenchmarkCLI

/// What the user reads when a request cannot be planned.
@Suite struct PlanMessageTests {
  private func failure(
    _ suite: Suite = Fixtures.suite, _ change: (inout MeasurementRequest) -> Void
  ) -> ToolFailure? {
    do {
      _ = try Fixtures.plan(change, suite: suite)
      return nil
    } catch { return ToolFailure(error) }
  }

  @Test func anUnknownAxisListsTheAxes() throws {
    let failure = try #require(failure { $0.axes = [.init(axis: "widht", values: [1])] })
    #expect(failure.code == .usage)
    #expect(failure.expectation == "one of n (chain, latency), rounds (fan), width (fan)")
    #expect(failure.nextStep == "did you mean `width`?")
  }

  @Test func anAxisOfAnotherWorkloadSaysWhose() throws {
    let failure = try #require(
      failure {
        $0.workloadNames = ["chain"]
        $0.axes = [.init(axis: "width", values: [1])]
      })
    #expect(failure.code == .usage)
    #expect(failure.finding == "no chosen workload has the axis `width`")
    #expect(failure.expectation == "one of n (chain)")
    #expect(failure.nextStep == "it is an axis of fan")
  }

  @Test func anIllegalValueNamesTheWorkloadThatRefusesIt() throws {
    let failure = try #require(failure { $0.axes = [.init(axis: "n", values: [2000])] })
    #expect(failure.code == .usage)
    #expect(failure.finding == "n=2000 is out of range for latency")
    #expect(failure.expectation == "1 to 1000")
  }

  @Test func aFilterWithoutAMatchEndsWith69() throws {
    #expect(failure { $0.filter = "^nothing$" }?.code == .nothingMatched)
    let named = try #require(
      failure {
        $0.workloadNames = ["chain"]
        $0.filter = "fan"
      })
    #expect(named.finding == "`fan` matches none of the workloads named")
    #expect(named.expectation == "one of chain")
    #expect(try Fixtures.plan { $0.filter = "^f" }.groups.map(\.benchmark) == ["fan"])
  }

  @Test func unknownSchedulersAndReferencesSuggestTheNearest() {
    #expect(failure { $0.schedulers = ["dispach"] }?.nextStep == "did you mean `dispatch`?")
    #expect(
      failure { $0.schedulers = ["foundation"] }?.nextStep
        == "it is a reference: --reference foundation")
    #expect(failure { $0.references = ["fundation"] }?.nextStep == "did you mean `foundation`?")
  }

  @Test func optionsOfAReplayAreRefusedWithoutAGraph() throws {
    let request = try RunRequest(
      ArgumentParser(workloadNames: []).parse(["--time-scale", "2", "--dry-run"]))
    let failure = #expect(throws: ToolFailure.self) { try request.checkReplayOptions() }
    #expect(failure?.code == .usage)
    #expect(failure?.place == "--time-scale")
  }

  @Test func anUnknownNameListsAxesAndKnobs() throws {
    let failure = try #require(
      failure(TunableSuite.suite) {
        $0.workloadNames = ["chain"]
        $0.axes = [.init(axis: "spin", values: [1])]
      })
    #expect(failure.code == .usage)
    #expect(
      failure.expectation == "one of n (chain), spin-us (pool, stealing), pin (stealing)")
  }

  @Test func aKnobOfASchedulerThatIsNotChosenSaysWhose() throws {
    let failure = try #require(
      failure(TunableSuite.suite) {
        $0.schedulers = ["pool"]
        $0.axes = [.init(axis: "pin", values: ["none"])]
      })
    #expect(failure.code == .usage)
    #expect(failure.finding == "no chosen scheduler has the knob `pin`")
    #expect(failure.nextStep == "stealing would have it: add it to --scheduler")
  }

  @Test func anIllegalValueNamesTheSchedulerAndTheLegalOnes() throws {
    let number = try #require(
      failure(TunableSuite.suite) { $0.axes = [.init(axis: "spin-us", values: [60])] })
    #expect(number.code == .usage)
    #expect(number.finding == "spin-us=60 is out of range for pool")
    #expect(number.expectation == "0 to 50")
    #expect(
      number.nextStep == "to leave pool out, name the schedulers to measure with --scheduler")
    let word = try #require(
      failure(TunableSuite.suite) { $0.axes = [.init(axis: "pin", values: ["tight"])] })
    #expect(word.code == .usage)
    #expect(word.finding == "pin=tight is no value that stealing knows")
    #expect(word.expectation == "none or compact")
    let sized = try #require(
      failure(TunableSuite.suite) { $0.axes = [.init(axis: "n", values: ["many"])] })
    #expect(sized.finding == "n=many is not a number")
  }

  @Test func valuesThatDoNotGoTogetherAreRefused() throws {
    let failure = try #require(
      failure(TunableSuite.suite) {
        $0.axes = [.init(axis: "pin", values: ["compact"]), .init(axis: "spin-us", values: [0])]
      })
    #expect(failure.code == .usage)
    #expect(failure.finding == "stealing: compact does not go with 0")
    #expect(failure.expectation == "1 or more")
  }

  @Test(
    arguments: [
      (
        "missing-flow", true,
        "--reference: `missing-flow` is not in this build; expected a build with libmissing; "
          + "install it"
      ),
      (
        "missing", false,
        "--scheduler: `missing` is not in this build; expected a build with libmissing; install it"
      ),
    ]) func whatTheBuildLacksIsRefusedWithTheRemedy(name: String, isReference: Bool, text: String)
  {
    let failure = failure(PeerSuite.suite) {
      if isReference { $0.references = ["asked", name] } else { $0.schedulers = [name] }
    }
    #expect(failure?.code == .usage)
    #expect(failure?.description == text)
  }
}
