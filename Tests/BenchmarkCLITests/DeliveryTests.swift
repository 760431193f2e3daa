// SPDX-License-Identifier: Apache-2.0

import Measurement
import MeasurementFixtures
import Testing

@testable import BenchmarkCLI

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
    let error = #expect(throws: ClockError.self) { try RunStart(unixSeconds: seconds) }
    #expect(
      ToolFailure(try #require(error)).description.contains("expected a moment from 1970 to 9999"))
    _ = try RunStart(unixSeconds: 0)
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
