// SPDX-License-Identifier: Apache-2.0

import ExportSamples
import Foundation
import History
import MeasurementFixtures
import Results
import TestFolders
import Testing

@testable import BenchmarkCLI

/// `bench history`, in a repository of its own.
@Suite struct HistoryVerbTests {
  private func history(_ words: [String], _ folder: String) -> (
    code: ExitCode, out: String, talk: String
  ) {
    var out = ""
    var talk = ""
    let console = Console(out: { out += $0 }, talk: { talk += $0 })
    let code = CommandLineTool(suite: Fixtures.suite, environment: [:], console: console)
      .run(["history"] + words + ["--history", "\(folder)/history"])
    return (code, out, talk)
  }

  private func git(_ words: [String], _ folder: String) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b"] + words
    process.standardOutput = output
    process.standardError = Pipe()
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// A repository of two commits, the first of which is pinned.
  private func withRepository(
    _ body: (_ folder: String, _ reference: String, _ commit: String) throws -> Void
  ) throws {
    try TestDirectory.with { folder in
      _ = try git(["init", "--quiet"], folder)
      let commits = try (0..<2).map { number in
        _ = try git(["commit", "--quiet", "--allow-empty", "--message", "\(number)"], folder)
        return try git(["rev-parse", "HEAD"], folder)
      }
      try File.makeDirectories("\(folder)/history")
      try write("\(commits[0])\n", "\(folder)/history/reference")
      try body(folder, commits[0], commits[1])
    }
  }

  private func write(_ text: String, _ path: String) throws {
    try AtomicFile.write(Array(text.utf8), to: path, overwrite: true)
  }

  /// What stands above everything of the machine of these samples.
  private static let head = "machine h:3fa9c0d2e4b86a17, no certificate: run bench selftest\n"

  private func keep(_ points: [HistoryPoint], _ folder: String) throws {
    _ = try HistoryStore(folder: "\(folder)/history").append(points)
  }

  @Test func aComparisonIsAddedOnceAndShown() throws {
    try withRepository { folder, reference, commit in
      let path = "\(folder)/run.csv"
      try AtomicFile.write(
        CSV.encode(
          HistorySamples.comparison(1, factor: 1.5, reference: reference, commit: commit)),
        to: path, overwrite: false)
      let file = "\(folder)/history/h-3fa9c0d2e4b86a17.csv"
      let added = history(["add", path], folder)
      #expect(added.code == .success)
      #expect(added.talk == "bench: commit \(commit.prefix(10)): 1 added, in \(file)\n")
      let again = history(["add", path], folder)
      #expect(again.code == .success)
      #expect(
        again.talk == "bench: commit \(commit.prefix(10)): 0 added, 1 there already, in \(file)\n")
      let shown = history(["show"], folder)
      #expect(shown.code == .success)
      #expect(shown.out.hasPrefix(Self.head + "\n"))
      #expect(shown.out.contains("\n  ▁  1.") && shown.out.contains(commit.prefix(10)))
      #expect(shown.out.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }
  }

  @Test func whatDoesNotFitIsRefusedWithItsRemedy() throws {
    try withRepository { folder, reference, commit in
      let path = "\(folder)/run.csv"
      func add(_ rows: [ResultRow]) throws -> (code: ExitCode, out: String, talk: String) {
        try AtomicFile.write(CSV.encode(rows), to: path, overwrite: true)
        return history(["add", path], folder)
      }
      let other = try add(HistorySamples.comparison(1, reference: commit, commit: commit))
      #expect(other.code == .malformedInput)
      #expect(
        other.talk
          == "bench: \(path): its first side is commit \(commit); expected \(reference), which "
          + "\(folder)/history/reference pins; measure against that commit, or pin the other\n")
      let unknown = try add(HistorySamples.comparison(1, reference: reference))
      #expect(unknown.code == .malformedInput)
      #expect(
        unknown.talk.hasPrefix(
          "bench: \(path): its second side is commit \(HistorySamples.commit(1)), which is unknown "
            + "here; expected a commit of the repository that holds"))
      let plain = try add(ExportSamples.ordinary())
      #expect(plain.code == .malformedInput)
      #expect(!File.exists("\(folder)/history/h-3fa9c0d2e4b86a17.csv"))
    }
  }

  @Test func aSuspicionHasExitCodeOneAndIsNeverARegression() throws {
    try TestDirectory.with { folder in
      try keep(HistorySamples.points(ExportSamples.subject(), factor: 1.2, stream: 1), folder)
      let result = history(["scan"], folder)
      #expect(result.code == .findings)
      #expect(
        result.out.contains(
          "  suspicion: worse, +19.9 % from commit 6180120d52 of 2026-01-21 on, p = 0.0001\n"))
      #expect(result.out.hasPrefix(Self.head + "\n"))
      #expect(result.out.contains(" \(HistorySamples.commit(39)) before"))
      #expect(result.out.contains("no regression until it is measured again"))
      let json = history(["scan", "--format", "json"], folder)
      #expect(json.code == .findings)
      #expect(json.out.contains("\"after\": \"\(HistorySamples.commit(40))\""))
      #expect(history(["scan", "--since", HistorySamples.commit(39)], folder).code == .findings)
      #expect(history(["scan", "--since", HistorySamples.commit(40)], folder).code == .success)
    }
  }

  @Test func aFlatHistoryHasNoFindings() throws {
    try TestDirectory.with { folder in
      try keep(HistorySamples.points(ExportSamples.subject(), factor: 1, stream: 1), folder)
      let result = history(["scan"], folder)
      #expect(result.code == .success)
      #expect(
        result.out == Self.head
          + "\n0 suspicions in 1 series, 0 changes of exact figures in 0 series\n")
    }
  }

  @Test func aSeriesOfTooFewCommitsIsCounted() throws {
    try TestDirectory.with { folder in
      try keep((1...5).map { HistorySamples.point($0, $0 < 3 ? 1 : 9) }, folder)
      let result = history(["scan"], folder)
      #expect(result.code == .success)
      #expect(
        result.out == Self.head
          + "\n0 suspicions in 0 series, 0 changes of exact figures in 0 series\n"
          + "1 series of fewer than 6 commits not scanned\n")
      try keep([HistorySamples.point(6, 9)], folder)
      #expect(!history(["scan"], folder).out.contains("not scanned"))
    }
  }

  @Test func anExportNeedsAFolderAndReplacesNothing() throws {
    try TestDirectory.with { folder in
      try keep(HistorySamples.points(ExportSamples.subject(), factor: 1, stream: 1), folder)
      let place = "\(folder)/otava"
      let stem = "h-3fa9c0d2e4b86a17-6180120d52-1"
      let result = history(["export", "--output", place], folder)
      #expect(result.code == .success)
      #expect(TestDirectory.names(in: place) == ["\(stem).csv", "otava.yaml"])
      #expect(
        result.talk.contains(
          "  otava analyze \(stem) --config-file otava.yaml --since 2026-01-01T12:00:00Z\n"))
      #expect(history(["export", "--output", place], folder).code == .usage)
      #expect(history(["export", "--output", place, "--force"], folder).code == .success)
      #expect(history(["export"], folder).code == .usage)
    }
  }

  @Test(
    arguments: [
      ([], 64), (["scna"], 64), (["add", "a.csv", "chain"], 64), (["show", "x"], 64),
      (["scan", "--since", "f"], 64),
      (["show", "--since", "6"], 64), (["scan", "--pairs", "9"], 64), (["bisect", "a"], 64),
      (["scan", "--output", "x"], 64),
      (["add", "x.csv", "--format", "json"], 64), (["scan", "--filter", "nothing"], 69),
      (["add", "/does/not/exist.csv"], 65), (["show"], 0), (["scan", "--seed", "2"], 0),
      (["show", "--format", "json", "--filter", "fan.*wall"], 0),
    ] as [([String], Int32)]) func exitCodesAreThoseOfTheContract(
      words: [String], code: Int32
    ) throws
  {
    try TestDirectory.with { folder in
      try keep([HistorySamples.point(1)], folder)
      let result = history(words, folder)
      #expect(result.code.rawValue == code, "\(result)")
    }
  }

  @Test func aFolderWithoutHistoryAndAMalformedOneHaveExitCode65() throws {
    try TestDirectory.with { folder in
      try File.makeDirectories("\(folder)/history")
      #expect(history(["scan"], folder).code == .malformedInput)
      try write("added\n", "\(folder)/history/h-3fa9c0d2e4b86a17.csv")
      let result = history(["show"], folder)
      #expect(result.code == .malformedInput)
      #expect(
        result.talk.hasPrefix("bench: \(folder)/history/h-3fa9c0d2e4b86a17.csv:1: committed: "))
    }
  }
}

@Suite struct SparklineTests {
  @Test func aBlockIsAsHighAsItsFigure() {
    #expect(Sparkline.text([1, 2, 3, 4, 5, 6, 7, 8, 8.5, 9], width: 20) == "▁▂▃▄▅▆▇███")
    #expect(Sparkline.text([9, 1, 9], width: 2) == "▁█")
    #expect(Sparkline.text([5, 5], width: 9) == "▁▁")
    #expect(Sparkline.text([], width: 9).isEmpty)
  }
}
