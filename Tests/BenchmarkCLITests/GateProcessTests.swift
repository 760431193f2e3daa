// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Results
import Testing

@testable import BenchmarkCLI

/// Whole gates, live and short, of a program whose commits cost what the tests say.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .enabled(if: BuildFacts.sanitizer == nil, "a sanitizer's program gates nothing"))
struct GateProcessTests {
  private static let check = [
    "check", "--quick", "--allow-debug", "--allocator", "system", "--no-progress", "--budget",
    "60s",
  ]

  @Test func aSlowerCommitIsRedAndACommentIsNot() throws {
    try GatedRepository.with { repository in
      try repository.commit("slower", turns: 4500)
      try repository.build()
      let summary = repository.folder + "/summary.md"
      let slower = try GateProcess(
        repository, Self.check + ["--base", "HEAD~1", "--output", "slower.csv"],
        environment: ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary])
      #expect(slower.end() == 2, "\(slower.out)\(slower.said)")
      #expect(slower.out.hasPrefix("RED: turning on inline, wall: +"), "\(slower.out)")
      #expect(slower.out.contains(/Against\s+HEAD~1,\s+[0-9a-f]{9}\./), "\(slower.out)")
      #expect(slower.said.contains("::error title=bench check::turning on inline, wall: "))
      #expect(try String(contentsOfFile: summary, encoding: .utf8).hasPrefix("**RED: "))
      #expect(try repository.read("slower.csv").contains("lock-step"))
      try repository.expectNothingLeft()

      try repository.commit("a comment", turns: 4500)
      try repository.build()
      let comment = try GateProcess(repository, Self.check + ["--base", "HEAD~1"])
      #expect(comment.end() == 0, "\(comment.out)\(comment.said)")
      #expect(!comment.out.contains("RED"), "\(comment.out)")
      // A step summary belongs to a workflow.
      #expect(!comment.said.contains("::"))
    }
  }

  @Test func whatALineNamesIsMeasuredAndWhatTheBaseLacksIsNamed() throws {
    try GatedRepository.with { repository in
      try repository.write(
        ".bench-limits", "turning * wall tolerance 100%\nturning * peak-rss limit 1KiB\n")
      try repository.commit("more", turns: 3000, .larger)
      try repository.build()
      let gate = try GateProcess(repository, Self.check + ["--base", "HEAD~1"])
      #expect(gate.end() == 2, "\(gate.out)\(gate.said)")
      #expect(
        gate.out.hasPrefix("RED: turning on inline, peak-rss:max: ×")
          && gate.out.contains(/the limit of 1\.00\s+KiB/), "\(gate.out)")
      #expect(!gate.out.contains("nothing here is what line"), "\(gate.out)")
      #expect(
        gate.out.contains(
          "- not judged: added on inline, wall: one of the builds does not have it"),
        "\(gate.out)")
      try repository.expectNothingLeft()
    }
  }

  @Test func aBuildThatCannotBeSteeredIsComparedProcessByProcess() throws {
    try GatedRepository.with { repository in
      try repository.build()
      let (own, older) = (repository.folder + "/own", repository.folder + "/older")
      try FileManager.default.copyItem(atPath: repository.program, toPath: own)
      // Refuses the hidden verb as builds do from before there was a conversation.
      try """
      #!/bin/sh
      case $1 in \(measureChildVerb)) echo 'bench \(measureChildVerb): for children' >&2; exit 64 ;; esac
      exec '\(own)' "$@"

      """.write(toFile: older, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: older)
      try repository.commit("slower", turns: 9000)
      try repository.build()
      let comparison = try GateProcess(
        repository,
        [
          "compare", "--binary", older, "--binary", repository.program, "--pairs", "6", "--quick",
          "--allow-debug", "--allocator", "system", "--no-progress", "--output", "older.csv",
        ],
        // What the older build would refuse.
        environment: ["BENCH_PAIRS": "7"])
      #expect(comparison.end() == 0, "\(comparison.out)\(comparison.said)")
      #expect(comparison.said.contains("process by process"), "\(comparison.said)")
      let rows = try CSV.decode(Array(repository.read("older.csv").utf8), path: "older.csv")
      let ratio = rows.first { $0.subject.metric == .wall && $0.subject.statistic == .ratio }
      #expect(ratio?.design?.pairing == .processes)
      #expect(ratio?.value ?? 0 > 2, "\(comparison.out)")
      let pairs = rows.filter { $0.subject.metric == .wall && $0.pairID != nil }
      #expect(pairs.count == 12)
      #expect(pairs.allSatisfy { $0.iterationCount ?? 0 > 0 && $0.operationCount ?? 0 > 99 })
      try repository.expectNothingLeft()
    }
  }

  @Test func aSecondGateWaitsForTheFirst() throws {
    try GatedRepository.with { repository in
      try repository.commit("slower", turns: 6000)
      try repository.build()
      let first = try GateProcess(
        repository, Self.check + ["--base", "HEAD~1", "--output", "first.csv"])
      try first.wait { repository.processes.count >= 3 }
      let second = try GateProcess(
        repository, Self.check + ["--base", "HEAD~1", "--output", "second.csv"])
      try second.wait { second.said.contains("another gate measures") }
      #expect(first.isRunning)
      let third = try GateProcess(repository, Self.check + ["--base", "HEAD~1"])
      try third.wait { third.said.contains("another gate measures") }
      third.interrupt()
      #expect(third.end() == 130, "\(third.said)")
      #expect(
        third.said.contains("check: interrupted while another gate measured;"), "\(third.said)")
      #expect(first.end() == 2, "\(first.out)\(first.said)")
      #expect(second.end() == 2, "\(second.out)\(second.said)")
      #expect(!first.said.contains("another gate measures"))
      #expect(try repository.read("first.csv").count > 1000)
      #expect(try repository.read("second.csv").count > 1000)
      try repository.expectNothingLeft()
    }
  }

  @Test func whatCannotBeJudgedIsNeverGreen() throws {
    try GatedRepository.with { repository in
      try repository.commit("more", turns: 3000)
      try repository.build()
      let saved = try GateProcess(repository, ["baseline", "save", "main", "--counts", "off"])
      try #require(saved.end() == 0, "\(saved.said)")
      let folders = try FileManager.default.contentsOfDirectory(
        atPath: repository.root + "/results/baselines")
      let folder = "results/baselines/" + (try #require(folders.first))
      let baseline = try repository.read("\(folder)/main.baseline")
      let line = try #require(baseline.split(separator: "\n").first { $0.hasPrefix("machine ") })
      let machine = try #require(MachineID(text: String(line.dropFirst("machine ".count))))

      // Everything is too noisy.
      let certificate = Certificate(
        time: Timestamp(unixSeconds: Int64(Date().timeIntervalSince1970)), machineID: machine,
        commit: nil, toolchain: "Swift", clockCostNanoseconds: 1, clockStepNanoseconds: 1,
        emptyBenchNanoseconds: 1, wakeUpNanoseconds: nil, proofs: [], alarms: nil,
        workloads: [
          .init(
            benchmark: "turning", params: RowParameters([]), scheduler: "inline",
            pairing: .lockStep, pairs: 40, detectable: 0.4)
        ])
      let path = Certificate.path(resultsFolder: repository.root + "/results", machine: machine)
      try FileManager.default.createDirectory(
        at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(certificate.csv).write(to: URL(filePath: path))
      let noisy = try GateProcess(repository, Self.check + ["--baseline", "main"])
      #expect(noisy.end() == 3, "\(noisy.out)\(noisy.said)")
      #expect(noisy.out.hasPrefix("NOT JUDGED: ") && noisy.out.contains("40 %"), "\(noisy.out)")
      try FileManager.default.removeItem(atPath: path)

      // The baseline is of another machine.
      try repository.write(
        "\(folder)/main.baseline", baseline.replacing(line, with: "machine h:00000000000000aa"))
      let foreign = try GateProcess(repository, Self.check + ["--baseline", "main"])
      #expect(foreign.end() == 5, "\(foreign.out)\(foreign.said)")
      #expect(foreign.said.contains("it is of the machine h:00000000000000aa"), "\(foreign.said)")
      let none = try GateProcess(repository, Self.check + ["--baseline", "none"])
      #expect(none.end() == 5, "\(none.said)")

      // The limits file has a mistake.
      try repository.write(".bench-limits", "# mine\nturning * wall tolerance 3 %\n")
      let malformed = try GateProcess(repository, Self.check + ["--base", "HEAD~1"])
      #expect(malformed.end() == 65, "\(malformed.said)")
      #expect(
        malformed.said.contains(".bench-limits:2:26: ") && malformed.said.contains("expected"),
        "\(malformed.said)")
      let missing = try GateProcess(repository, Self.check + ["--limits", "none"])
      #expect(missing.end() == 65 && missing.said.contains("none"), "\(missing.said)")
    }
  }
}
