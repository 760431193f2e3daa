// SPDX-License-Identifier: Apache-2.0

import Analysis
import ExportSamples
import History
import Measurement
import MeasurementFixtures
import Results
import Statistics
import TestFolders
import Testing

@testable import BenchmarkCLI

/// `bench history` where it measures, in a laboratory in which every commit has a level.
@Suite struct HistoryMeasuringTests {
  /// What was measured, and how it went.
  private final class Book {
    var measured: [(base: String, candidate: String)] = []
    var requests: [CompareRequest] = []
  }

  private func laboratory(
    _ book: Book, machine: MachineID = HistorySamples.machine, subject: Subject? = nil,
    pairs: Int = 20, broken: Set<String> = [], level: @escaping (String) -> Double
  ) -> HistoryLaboratory {
    HistoryLaboratory(machine: machine) {
      (base: String, candidate: String, request: CompareRequest) throws(ToolFailure) in
      book.measured.append((base, candidate))
      book.requests.append(request)
      guard !broken.contains(candidate) else {
        throw ToolFailure(.internalFault, place: candidate, finding: "does not build")
      }
      var rows = HistorySamples.comparison(
        1, factor: level(candidate) / level(base), pairs: pairs, reference: base, commit: candidate,
        subjects: [subject ?? ExportSamples.subject()])
      for place in rows.indices where rows[place].subject.statistic == .ratio {
        rows[place].design = ComparisonDesign(
          pairing: .lockStep, looks: .standard, tolerance: request.comparison.tolerance)
      }
      return PairedAnalysis(rows: rows, roster: Roster(Fixtures.suite))
    }
  }

  private func history(_ words: [String], _ folder: String, _ laboratory: HistoryLaboratory) throws
    -> (code: ExitCode?, failure: ToolFailure?, out: String)
  {
    var out = ""
    let console = Console(out: { out += $0 }, talk: { _ in })
    let tool = CommandLineTool(suite: Fixtures.suite, environment: [:], console: console)
    let parsed = try ArgumentParser(workloadNames: ["fan", "chain"])
      .parse(["history"] + words + ["--history", folder])
    do throws(ToolFailure) {
      return (try tool.history(HistoryRequest(parsed), in: laboratory), nil, out)
    } catch { return (nil, error, out) }
  }

  /// A history with a suspicion at commit 40, and its folder.
  private func withSuspicion(_ body: (String) throws -> Void) throws {
    try TestDirectory.with { folder in
      let points = HistorySamples.points(ExportSamples.subject(), factor: 1.2, stream: 1)
      _ = try HistoryStore(folder: folder).append(points)
      try body(folder)
    }
  }

  // MARK: - confirm

  @Test(arguments: [(1.2, ExitCode.regression), (1, .success), (0.8, .success)])
  func aRegressionIsWhatIsMeasuredAgain(level: Double, code: ExitCode) throws {
    try withSuspicion { folder in
      let book = Book()
      let result = try history(
        ["confirm"], folder, laboratory(book) { $0 == HistorySamples.commit(40) ? level : 1 })
      #expect(result.code == code, "\(result)")
      #expect(result.out.contains(" up)\nno certificate: run bench selftest\n"), "\(result.out)")
      #expect(book.measured.map(\.base) == [HistorySamples.commit(39)])
      #expect(book.measured.map(\.candidate) == [HistorySamples.commit(40)])
      #expect(
        result.out.hasSuffix(
          code == .regression
            ? "\n1 of 1 suspicion measured again is a regression\n"
            : "\n0 of 1 suspicion measured again are regressions\n"))
      let request = try #require(book.requests.first)
      #expect(request.run.measurement.workloadNames == ["fan"])
      #expect(request.run.measurement.schedulers == ["work-stealing"])
      #expect(request.run.measurement.workers == [2])
      #expect(
        request.run.measurement.axes == [AxisSelection(axis: "width", values: [.number(1000)])])
      #expect(request.comparison.metrics == [.wall])
    }
  }

  @Test func whatRemainsOpenIsNoSuccess() throws {
    try withSuspicion { folder in
      // Before the first look nothing is settled.
      let result = try history(
        ["confirm", HistorySamples.commit(40)], folder,
        laboratory(Book(), pairs: 8) { $0 == HistorySamples.commit(40) ? 1.2 : 1 })
      #expect(result.code == .inconclusive, "\(result)")
      #expect(result.out.hasSuffix("are regressions, 1 not settled\n"))
    }
  }

  @Test func aSuspicionOfAnotherMachineIsNotMeasuredHere() throws {
    try withSuspicion { folder in
      let book = Book()
      let other = try #require(MachineID(text: "h:0000000000000000"))
      let result = try history(["confirm"], folder, laboratory(book, machine: other) { _ in 1 })
      #expect(result.failure?.code == .noBaseline)
      #expect(book.measured.isEmpty)
      let nothing = try history(
        ["confirm", HistorySamples.commit(7)], folder, laboratory(book) { _ in 1 })
      #expect(nothing.failure?.code == .nothingMatched)
    }
  }

  // MARK: - bisect

  /// A repository of so many commits, a history of one series in it, and the commits.
  private func withCommits(_ count: Int, _ body: (String, [String]) throws -> Void) throws {
    try TestDirectory.with { folder in
      let git = Git(folder: folder)
      _ = git.run(["init", "--quiet"])
      var commits: [String] = []
      for number in 0..<count {
        _ = git.run(
          ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty"]
            + ["--message", "change \(number)"])
        commits.append(try #require(git.ask("rev-parse", "HEAD")))
      }
      _ = try HistoryStore(folder: folder).append([HistorySamples.point(1)])
      try body(folder, commits)
    }
  }

  @Test(arguments: [1.3, 0.7]) func theCommitOfAChangeIsFound(factor: Double) throws {
    try withCommits(12) { folder, commits in
      for change in [1, 7, 11] {
        let book = Book()
        let place = Dictionary(uniqueKeysWithValues: commits.enumerated().map { ($1, $0) })
        let result = try history(
          ["bisect", commits[0], commits[11]], folder,
          laboratory(book) { place[$0, default: 0] >= change ? factor : 1 })
        #expect(result.code == .success, "\(result)")
        #expect(
          result.out.contains("\nthe change is commit\n  \(commits[change]) change \(change)\n"))
        // Both ends, and log2 of eleven suspects.
        #expect(book.measured.count <= 5)
        #expect(book.measured.allSatisfy { $0.base == commits[0] })
        let steps = book.measured.count
        let sure = UnitFormatter.fixed(100 - 0.5 * Double(steps), digits: 1)
        #expect(result.out.contains("sure at \(sure) % or more"))
      }
    }
  }

  @Test func commitsThatCannotBeMeasuredStaySuspects() throws {
    try withCommits(12) { folder, commits in
      let place = Dictionary(uniqueKeysWithValues: commits.enumerated().map { ($1, $0) })
      let result = try history(
        ["bisect", commits[0], commits[11]], folder,
        laboratory(Book(), broken: [commits[6], commits[7]]) {
          place[$0, default: 0] >= 7 ? 1.3 : 1
        })
      #expect(result.code == .inconclusive)
      #expect(
        result.out.contains(
          "\nthe change is one of 3 commits\n  \(commits[6]) change 6\n  \(commits[7]) change 7\n"
            + "  \(commits[8]) change 8\n"))
      #expect(result.out.contains("cannot be measured: not known"))
    }
  }

  @Test func endsThatDoNotDifferAreNotSearched() throws {
    try withCommits(4) { folder, commits in
      let book = Book()
      let same = try history(
        ["bisect", commits[0], commits[3]], folder, laboratory(book) { _ in 1 })
      #expect(same.code == .inconclusive)
      #expect(book.measured.count == 1)
      for words in [
        [commits[3], commits[0]], [commits[0], commits[0]], [commits[0], "nothing"],
      ] {
        let result = try history(["bisect"] + words, folder, laboratory(book) { _ in 1 })
        #expect(result.failure?.code == .usage)
      }
      #expect(book.measured.count == 1)
    }
  }

  // MARK: - add

  @Test func aCommitIsMeasuredAgainstTheReferenceAndAdded() throws {
    try withCommits(2) { folder, commits in
      try AtomicFile.write(
        Array("\(commits[0])\n".utf8), to: "\(folder)/reference", overwrite: false)
      let book = Book()
      let subject = ExportSamples.subject(.wall, .p50, benchmark: "chain")
      let result = try history(
        ["add", "chain", "--commit", commits[1], "--workers", "2"], folder,
        laboratory(book, subject: subject) { $0 == commits[1] ? 1.1 : 1 })
      #expect(result.code == .success, "\(result)")
      #expect(book.measured.map(\.base) == [commits[0]])
      #expect(book.requests[0].run.measurement.workloadNames == ["chain"])
      #expect(book.requests[0].run.measurement.workers == [2])
      let added = try HistoryStore(folder: folder).series().first { $0.key.subject == subject }
      #expect(added?.points.map(\.commit) == [commits[1]])
    }
  }
}
