// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Results
import Statistics
import TestFolders
import Testing

@testable import BenchmarkCLI

/// Runs that keep their samples, live and short.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .enabled(if: BuildFacts.sanitizer == nil, "a sanitizer's program measures nothing"))
struct SamplesProcessTests {
  private static let run = [
    "run", "--quick", "--allow-debug", "--allocator", "system", "--no-progress", "--processes", "2",
    "--budget", "1s", "--samples",
  ]

  @Test func theFileLiesBesideTheFiguresAndIsWhatTheyAreMadeOf() throws {
    try GatedRepository.with { repository in
      try repository.build()
      let words = Self.run + ["--output", "a.csv"]
      let run = try GateProcess(repository, words)
      #expect(run.end() == 0, "\(run.said)")
      #expect(
        run.said.hasSuffix("bench: figures in a.csv, every iteration in a.samples.csv\n"),
        "\(run.said)")
      let rows = try CSV.decode(Array(try repository.read("a.csv").utf8), path: "a.csv")
      let samples = try repository.read("a.samples.csv").split(separator: "\n").dropFirst()
      for process in 1...2 {
        let wall = samples.map { $0.split(separator: ",") }.filter { $0[5] == "\(process)" }
          .map { cells in
            let figures = cells.suffix(7).compactMap { Double($0) }
            return (figures[1] + figures[2] + figures[3]) / figures[0]
          }
        let figure = rows.first { $0.process == process && $0.subject.metric == .wall }
        #expect(median(wall) == figure?.value && wall.count == figure?.iterationCount)
      }

      // None is replaced unless told to, not even where only the samples are in the way.
      try FileManager.default.removeItem(atPath: repository.root + "/a.csv")
      try FileManager.default.removeItem(atPath: repository.root + "/a.env.csv")
      let second = try GateProcess(repository, words)
      #expect(second.end() == 64 && second.said.hasPrefix("bench: a.samples.csv: "))
      #expect(!TestDirectory.names(in: repository.root).contains("a.csv"))
      let forced = try GateProcess(repository, words + ["--force"])
      #expect(forced.end() == 0, "\(forced.said)")
      #expect(try repository.read("a.samples.csv").split(separator: "\n").dropFirst() != samples)

      let check = try GateProcess(repository, ["schema", "--check", "a.samples.csv"])
      #expect(check.end() == 1)
      #expect(
        check.out == "a.samples.csv:1: the samples of a run; expected a results file; "
          + "name the file of figures beside it\n")
    }
  }

  @Test func withoutAFolderNamedTheyAreNamedAfterTheRunAndWithoutTheOptionThereAreNone() throws {
    try GatedRepository.with { repository in
      try repository.build()
      let run = try GateProcess(repository, Self.run)
      #expect(run.end() == 0, "\(run.said)")
      let names = TestDirectory.names(in: repository.root + "/results/runs").sorted()
      let id = try #require(names.first?.prefix(26))
      #expect(names == ["\(id).csv", "\(id).env.csv", "\(id).samples.csv"])
      let plain = try GateProcess(
        repository, Self.run.filter { $0 != "--samples" } + ["--output", "b.csv"])
      #expect(plain.end() == 0, "\(plain.said)")
      let beside = TestDirectory.names(in: repository.root).filter { $0.hasPrefix("b.") }.sorted()
      #expect(beside == ["b.csv", "b.env.csv"])
    }
  }

  @Test func standardOutputHasNothingBesideIt() {
    let parser = ArgumentParser(workloadNames: [])
    let failure = #expect(throws: ToolFailure.self) {
      try RunRequest(parser.parse(["--output", "-", "--samples"]))
    }
    #expect(
      failure?.description
        == "--samples: the samples lie beside the CSV, and `--output -` makes no file; expected a "
        + "file for the CSV; name one with --output, or leave out --output")
  }
}
