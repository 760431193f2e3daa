// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Measurement
import Results
import TestFolders
import Testing

/// Gates to which something happens: nothing is lost, nothing is left behind, and it is said.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .enabled(if: BuildFacts.sanitizer == nil, "a sanitizer's program gates nothing"))
struct GateFaultTests {
  private static let check = [
    "check", "--quick", "--allow-debug", "--allocator", "system", "--no-progress", "--budget",
    "60s", "--base", "HEAD~1",
  ]

  /// Whether this user may mount something where nobody else sees it.
  private static let canMount =
    ExternalProgram.run(["unshare", "--user", "--map-root-user", "--mount", "true"]).code == 0

  /// Runs the command behind it where the script has mounted something.
  private static func wrapper(_ script: String) -> [String] {
    [
      "/usr/bin/unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
      "set -e\n\(script)", "sh",
    ]
  }

  /// An environment whose PATH has what a repository puts there and all programs of the system but
  /// valgrind.
  private static func pathWithoutValgrind(
    _ repository: GatedRepository
  ) throws -> [String: String] {
    let tools = repository.folder + "/tools"
    try File.makeDirectories(tools)
    for folder in ["/usr/bin", "/bin"] {
      for name in TestDirectory.names(in: folder) where name != "valgrind" {
        _ = try? FileManager.default.createSymbolicLink(
          atPath: "\(tools)/\(name)", withDestinationPath: "\(folder)/\(name)")
      }
    }
    return ["PATH": "\(repository.folder)/bin:\(tools)"]
  }

  /// The pairs of which a file has both sides.
  private static func pairs(_ rows: [ResultRow]) -> Set<Int> {
    func pairs(of role: Role) -> Set<Int> {
      Set(rows.filter { $0.role == role && $0.subject.metric == .wall }.compactMap(\.pairID))
    }
    return pairs(of: .a).intersection(pairs(of: .b))
  }

  @Test func aBaseThatDoesNotBuildIsToldWithItsErrors() throws {
    try GatedRepository.with { repository in
      try repository.commit("broken", turns: 3000, .broken)
      try repository.commit("mended", turns: 3000)
      try repository.build()
      let gate = try GateProcess(repository, Self.check + ["--output", "gate.csv"])
      #expect(gate.end() == 70, "\(gate.out)\(gate.said)")
      let commit = try repository.git("rev-parse", "--short=12", "HEAD~1").prefix(12)
      let error = "commit \(commit) does not build:\n  Mine.swift:7:3: error: no such thing\n"
      #expect(gate.said.contains("bench: --base: " + error), "\(gate.said)")
      let log = try #require(gate.said.firstMatch(of: /see all of it in (\S+),/)).1
      #expect(try String(contentsOfFile: String(log), encoding: .utf8).contains("no such thing"))
      #expect(gate.out.isEmpty && !TestDirectory.names(in: repository.root).contains("gate.csv"))
      try repository.expectNothingLeft()
    }
  }

  @Test func aBaseThatCrashesInAPairIsNoVerdictAndTheOtherPairsAreKept() throws {
    try GatedRepository.with { repository in
      try repository.commit("fragile", turns: 3000, .fragile)
      try repository.commit("mended", turns: 3000)
      try repository.build()
      let gate = try GateProcess(
        repository, Self.check + ["--output", "gate.csv"],
        environment: ["SWIFT_BACKTRACE": "enable=no"])
      try Self.letPairsPass(gate, repository)
      try Data().write(to: URL(filePath: repository.folder + "/crash"))
      #expect(gate.end() == 1, "\(gate.out)\(gate.said)")
      let story = "crashed: signal 6 (SIGABRT)"
      let told = gate.said.replacing(/pair \d+/, with: "pair 1")
      #expect(told.contains("bench: turning, inline of the base, pair 1: \(story)\n"), "\(told)")
      #expect(
        gate.out.contains("- failed: turning on inline, wall: \(story), in the base\n"),
        "\(gate.out)")
      let csv = try CSV.decode(Array(repository.read("gate.csv").utf8), path: "gate.csv")
      #expect(!Self.pairs(csv).isEmpty && csv.contains { $0.quality.contains(.crashed) })
      try repository.expectNothingLeft()
    }
  }

  @Test func ctrlCKeepsThePairsThatWereComplete() throws {
    try GatedRepository.with { repository in
      try repository.commit("a comment", turns: 3000)
      try repository.build()
      let gate = try GateProcess(repository, Self.check + ["--output", "gate.csv"])
      try Self.letPairsPass(gate, repository)
      try gate.wait { repository.processes.count >= 3 }
      gate.interrupt()
      #expect(gate.end() == 130, "\(gate.out)\(gate.said)")
      #expect(gate.out.hasPrefix("INTERRUPTED: of "), "\(gate.out)")
      let count = try #require(gate.said.firstMatch(of: /interrupted after (\d+) complete pairs/)).1
      let csv = try CSV.decode(Array(repository.read("gate.csv").utf8), path: "gate.csv")
      #expect(Self.pairs(csv).count == Int(count) && Self.pairs(csv).count >= 1, "\(gate.said)")
      #expect(gate.said.contains("bench: figures in gate.csv"), "\(gate.said)")
      try repository.expectNothingLeft()
    }
  }

  /// Waits until the children of a few pairs have come and gone.
  private static func letPairsPass(_ gate: GateProcess, _ repository: GatedRepository) throws {
    var seen: Set<Int> = []
    // The gate, both builds that are asked what they have, the calibration, and pairs of two.
    try gate.wait {
      seen.formUnion(repository.processes)
      return seen.count >= 19
    }
  }

  @Test(.enabled(if: canMount, "needs `unshare --user --mount`"))
  func aDiskThatIsFullWhenTheFiguresAreThereCostsNoFigure() throws {
    try GatedRepository.with { repository in
      try repository.commit("slower", turns: 6000)
      try repository.build()
      let disk = repository.folder + "/disk"
      try File.makeDirectories(disk)
      let gate = try GateProcess(
        repository, Self.check + ["--output", "\(disk)/gate.csv"],
        wrapper: Self.wrapper(
          """
          mount -t tmpfs -o size=256k none '\(disk)'
          (
            until [ -e "$TMPDIR/fill" ]; do sleep 0.01; done
            cat /dev/zero >'\(disk)/other' || touch "$TMPDIR/full"
          ) 2>"$TMPDIR/filler" &
          status=0
          "$@" || status=$?
          kill $! 2>/dev/null || true
          ls -A '\(disk)' >"$TMPDIR/left"
          exit $status
          """))
      try gate.wait { repository.processes.count >= 3 }
      try Data().write(to: URL(filePath: repository.folder + "/fill"))
      try gate.wait { File.exists(repository.folder + "/full") }
      #expect(gate.end() == 74, "\(gate.out)\(gate.said)")
      #expect(gate.out.hasPrefix("RED: turning on inline, wall: "), "\(gate.out)")
      #expect(
        gate.said.contains(
          "cannot be written: no space left (write); expected room for the file; free some space "
            + "or choose another place\n"), "\(gate.said)")
      #expect(!gate.said.contains("figures in"), "\(gate.said)")
      let left = try String(contentsOfFile: repository.folder + "/left", encoding: .utf8)
      #expect(left == "other\n")
      try repository.expectNothingLeft()
    }
  }

  @Test(.enabled(if: canMount, "needs `unshare --user --mount`"))
  func aDiskWithoutRoomForTheBaseIsNamed() throws {
    try GatedRepository.with { repository in
      try repository.commit("slower", turns: 6000)
      try repository.build()
      let cache = repository.root + "/.build/revisions"
      try File.makeDirectories(cache)
      let gate = try GateProcess(
        repository, Self.check,
        wrapper: Self.wrapper(
          """
          mount -t tmpfs -o size=512k none '\(cache)'
          status=0
          "$@" || status=$?
          find '\(cache)' -name '*.work' >"$TMPDIR/left"
          exit $status
          """))
      #expect([70, 73].contains(gate.end()), "\(gate.out)\(gate.said)")
      #expect(gate.said.lowercased().contains("no space left"), "\(gate.said)")
      #expect(gate.out.isEmpty)
      #expect(try String(contentsOfFile: repository.folder + "/left", encoding: .utf8) == "")
      try repository.expectNothingLeft()
    }
  }

  @Test(.enabled(if: canMount, "needs `unshare --user --mount`"))
  func aResultsFolderThatIsReadOnlyIsNamedBeforeAnythingIsMeasured() throws {
    try GatedRepository.with { repository in
      try repository.commit("slower", turns: 6000)
      try repository.build()
      let results = repository.root + "/results"
      try File.makeDirectories(results)
      let mount = """
        mount --bind '\(results)' '\(results)'
        mount -o remount,bind,ro '\(results)'
        exec "$@"
        """
      for words in [
        Self.check, Self.check + ["--output", "\(results)/gate.csv"],
        ["baseline", "save", "main", "--counts", "off"],
      ] {
        let gate = try GateProcess(repository, words, wrapper: Self.wrapper(mount))
        #expect(gate.end() == 73, "\(words): \(gate.out)\(gate.said)")
        #expect(
          gate.said.starts(with: /bench: (\S+\/)?results\//)
            && gate.said.contains("cannot be written: no permission (")
            && gate.said.contains("; expected a place that this user may use; choose another place")
            && gate.said.split(separator: "\n").count == 1, "\(words): \(gate.said)")
        #expect(gate.out.isEmpty && TestDirectory.names(in: results).isEmpty)
        #expect(!File.exists(repository.root + "/.build/revisions"))
        try repository.expectNothingLeft()
      }
    }
  }

  @Test func withoutValgrindABaselineHasNoCountsAndAGateThatNeedsThemSaysSoAtOnce() throws {
    try GatedRepository.with { repository in
      try repository.commit("slower", turns: 6000)
      try repository.build()
      let path = try Self.pathWithoutValgrind(repository)
      let remedy =
        "valgrind: it is not in PATH: No such file or directory; expected the Debian package valgrind; "
        + "scripts/install-packages --counts installs it"
      let saved = try GateProcess(repository, ["baseline", "save", "main"], environment: path)
      #expect(saved.end() == 0, "\(saved.said)")
      #expect(saved.said.hasPrefix("bench: the baseline has no counts: \(remedy)\n"))
      let gate = try GateProcess(
        repository, Self.check + ["--counts", "on", "--output", "gate.csv"], environment: path)
      #expect(gate.end() == 72, "\(gate.out)\(gate.said)")
      #expect(gate.said.hasSuffix("bench: \(remedy)\n"), "\(gate.said)")
      // Before anything is measured, whose figures it would cost.
      #expect(gate.out.isEmpty && !gate.said.contains("seed"), "\(gate.said)")
      try repository.expectNothingLeft()
    }
  }

  @Test func valgrindThatDoesNotWorkIsNotCalledMissing() throws {
    try GatedRepository.with { repository in
      try repository.commit("slower", turns: 6000)
      try repository.build()
      let valgrind = repository.folder + "/bin/valgrind"
      try "#!/bin/sh\necho no tool can be loaded >&2\nexit 3\n".write(
        toFile: valgrind, atomically: true, encoding: .utf8)
      let path = try Self.pathWithoutValgrind(repository)
      // Without the right to run it first.
      func expect(_ said: String) throws {
        let gate = try GateProcess(
          repository, Self.check + ["--counts", "on", "--output", "gate.csv"], environment: path)
        #expect(gate.end() == 70, "\(gate.out)\(gate.said)")
        #expect(gate.said.hasSuffix("bench: \(said)\n"), "\(gate.said)")
      }
      try expect(
        "valgrind: it cannot be started: Permission denied; expected the Debian package valgrind; "
          + "see `ls -lL` of it in the folders of PATH; mend its permissions, or PATH")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: valgrind)
      try expect(
        "valgrind --version: it ended with 3 and said: no tool can be loaded; expected the Debian "
          + "package valgrind; run it by hand and mend what it names")
    }
  }
}
