// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Foundation
import MeasurementFixtures
import Results
import TestFolders
import Testing

@testable import BenchmarkCLI

/// `bench compare A.csv B.csv`, from stored files to what it shows.
@Suite struct FileComparisonVerbTests {
  private func compare(
    _ words: [String], input: [UInt8] = [], environment: [String: String] = [:]
  ) -> (code: ExitCode, out: String, talk: String) {
    var out = ""
    var talk = ""
    let console = Console(
      out: { text throws(ToolFailure) in out += text }, talk: { talk += $0 }, input: { input })
    let code = CommandLineTool(suite: Fixtures.suite, environment: environment, console: console)
      .run(["compare"] + words)
    return (code, out, talk)
  }

  /// Runs a body with two stored runs, of which the later one has times so many times as long.
  private func withRuns(
    _ factor: Double = 2, _ change: (inout ResultRow) -> Void = { _ in },
    _ body: (_ base: String, _ candidate: String, _ folder: String) throws -> Void
  ) throws {
    try TestDirectory.with { folder in
      var later = ExportSamples.ordinary(factor: factor, runID: ExportSamples.laterRunID)
      for place in later.indices { change(&later[place]) }
      try AtomicFile.write(
        CSV.encode(ExportSamples.ordinary()), to: "\(folder)/a.csv", overwrite: false)
      try AtomicFile.write(CSV.encode(later), to: "\(folder)/b.csv", overwrite: false)
      try body("\(folder)/a.csv", "\(folder)/b.csv", folder)
    }
  }

  /// Words without the ends of lines between them.
  private func flat(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test func itSaysFirstWhatItCannotSayAndEndsWithZeroHoweverMuchSlower() throws {
    try withRuns { base, candidate, folder in
      let result = compare([base, candidate])
      #expect(result.code == .success && result.talk.isEmpty)
      let text = flat(result.out)
      #expect(text.hasPrefix(FileComparisonReport.caution))
      #expect(text.contains("A: \(base), 2026-01-31T12:00:00Z, 6180120d5 B: \(candidate),"))
      #expect(text.contains("×2.00"))
      #expect(text.contains("out no change in 4 of 4 figures; of figures that are equal it does"))
      let markdown = compare([base, candidate, "--format", "markdown"])
      #expect(markdown.code == .success)
      #expect(markdown.out.hasPrefix("**\(FileComparisonReport.caution)**\n\n- A: \(base),"))
      #expect(
        markdown.out.contains("| fan width=1000 workers=2, work-stealing | latency | 900 ns |"))
      // What lies beside a run is no third file.
      try AtomicFile.write(
        ExportSamples.environment().csv(), to: "\(folder)/a.env.csv", overwrite: false)
      #expect(compare([base, "\(folder)/a.env.csv", candidate]).out == result.out)
      #expect(compare(["-", candidate], input: try File.read(base)).code == .success)
      // A run without any figure that is compared.
      let other = CSV.encode(ExportSamples.rows(ExportSamples.subject(.peakRSS), 1e6))
      let none = compare(["-", candidate], input: other)
      #expect(none.code == .success && none.out.contains("\nNo contestant is in both files"))
    }
  }

  @Test func aScriptGetsEveryFigure() throws {
    struct Answer: Decodable {
      struct Side: Decodable {
        var median: Double?
        var processes: Int
      }
      struct Figure: Decodable {
        var scheduler: String
        var metric: String
        var base: Side
        var candidate: Side
        var ratio: Double?
        var ci_low: Double?
      }
      var caution: String
      var figures: [Figure]
    }
    try withRuns { base, candidate, _ in
      let result = compare([base, candidate, "--format", "json"])
      let answer = try JSONDecoder().decode(Answer.self, from: Data(result.out.utf8))
      #expect(answer.caution == FileComparisonReport.caution)
      #expect(
        answer.figures.map(\.metric) == ["latency", "cpu", "latency", "cpu", "makespan", "wall"])
      let cpu = try #require(answer.figures.first { $0.metric == "cpu" })
      #expect(cpu.scheduler == "work-stealing" && cpu.base.processes == 10)
      #expect(abs((cpu.ratio ?? 0) - 2) < 1e-9 && (cpu.ci_low ?? 0) > 1.8)
      // Three processes on either side are too few.
      #expect(answer.figures[4].ratio != nil && answer.figures[4].ci_low == nil)
      // Nobody has a figure of the one that crashed.
      #expect(answer.figures[5].base.median == nil && answer.figures[5].ratio == nil)
    }
  }

  @Test func itWarnsOfWhatElseDiffersAndNamesWhoIsAlone() throws {
    func warnings(_ change: (inout ResultRow) -> Void) throws -> String {
      var out = ""
      try withRuns(1, change) { base, candidate, _ in out = compare([base, candidate]).out }
      return flat(out)
    }
    #expect(!(try warnings { _ in }).contains("warning"))
    let machine = try #require(MachineID(text: "h:00000000000000aa"))
    #expect(
      try warnings { $0.run.machineID = machine }
        .contains("warning: the machines differ, A h:3fa9c0d2e4b86a17, B h:00000000000000aa"))
    #expect(
      try warnings { $0.code.toolchain = "Swift 6.3.1" }
        .contains("warning: the toolchains differ: A unknown, B Swift 6.3.1"))
    #expect(
      try warnings { $0.quality.insert(.debug) }
        .contains("warning: the builds differ: A is a release build, B a debug build"))
    let other = try warnings { $0.subject.allocator = "system" }
    #expect(other.contains("warning: the allocators differ, A jemalloc, B system"))
    #expect(other.contains("No contestant is in both files"))
    #expect(other.contains("only in B: fan width=1000 workers=2, work-stealing, system;"))
    #expect(
      try warnings { if $0.subject.scheduler == "dispatch" { $0.subject.scheduler = "inline" } }
        .contains(
          "only in A: fan width=1000 workers=2, dispatch only in B: fan width=1000 workers=2, "
            + "inline"))
  }

  @Test func oneBinaryOrOneRunIsSaidToBeOne() throws {
    let binary = CodeIdentity.hash(ofBinary: [1])
    try TestDirectory.with { folder in
      for (name, run) in [
        ("a", ExportSamples.runID), ("b", ExportSamples.laterRunID),
      ] {
        var rows = ExportSamples.ordinary(runID: run)
        for place in rows.indices { rows[place].code.binary = binary }
        try AtomicFile.write(CSV.encode(rows), to: "\(folder)/\(name).csv", overwrite: false)
      }
      let both = compare(["\(folder)/a.csv", "\(folder)/b.csv"])
      #expect(flat(both.out).contains("warning: both runs are of the same binary, \(binary):"))
      #expect(flat(both.out).contains("leaves out no change in 0 of 4 figures"))
      try FileManager.default.copyItem(atPath: "\(folder)/a.csv", toPath: "\(folder)/copy.csv")
      let same = compare(["\(folder)/a.csv", "\(folder)/copy.csv"])
      #expect(same.out.contains("warning: both files hold the same run\n"))
      #expect(!same.out.contains("same binary"))
    }
  }

  @Test func whatIsNotTwoSoundFilesIsRefused() throws {
    try withRuns { base, candidate, folder in
      func talk(_ words: [String], _ code: ExitCode = .usage) -> String {
        let result = compare(words)
        #expect(result.code == code && result.out.isEmpty, "\(words)")
        return result.talk
      }
      #expect(talk([base]).hasPrefix("bench: FILE: 1 results file is named; expected bench comp"))
      #expect(talk([base, candidate, "more.csv"]).contains("3 results files are named"))
      #expect(talk([base, "chain"]).contains("chain: no results file, beside \(base)"))
      #expect(talk(["-", "-"]).contains("standard input is named twice"))
      for option in [
        ["--scheduler", "dispatch,inline"], ["--base", "HEAD"], ["--pairs", "20"],
        ["--output", "x.csv"], ["--dry-run"],
      ] {
        #expect(talk([base, candidate] + option).hasPrefix("bench: \(option[0]): it is about"))
      }
      #expect(talk([base, candidate, "--format", "csv"]).contains("expected text, json, markdown"))
      #expect(talk([base, "\(folder)/gone.csv"], .malformedInput).contains("gone.csv: cannot be"))
      let broken = "\(folder)/broken"
      try AtomicFile.write(Array("a,b\n".utf8), to: broken, overwrite: false)
      #expect(talk([base, broken], .malformedInput).contains("\(broken):1: schema"))
      // What the environment says of measuring is not meant for files.
      #expect(compare([base, candidate], environment: ["BENCH_PAIRS": "20"]).code == .success)
      // A folder of that name is none.
      #expect(talk([folder, "chain"]).contains("unknown workload"))
    }
  }
}
