// SPDX-License-Identifier: Apache-2.0

import Foundation
import Results
import Testing

/// A user's repository, gated as the examples show it, with the real compiler and valgrind.
///
/// `ExampleTests` runs the same files with a script in place of the compiler, in seconds.
@Suite(
  .serialized, .timeLimit(.minutes(60)),
  .enabled(
    if: ProcessInfo.processInfo.environment["BENCH_LONG_TESTS"] == "1",
    "builds this package twice, and counts; BENCH_LONG_TESTS=1 includes it"))
struct LiveGateTests {
  private static let source = Result {
    try Page("Sources/Scheduling/Scheduling.docc/Adding.md")
      .block(after: "`mine/Sources/mine/Mine.swift`") + """

        /// Takes time, as often as it is told.
        func turn(_ times: Int) { for _ in 0..<times { turns.add(1, ordering: .relaxed) } }
        private let turns = Atomic(0)

        """
  }

  /// The repository, with the scheduler of the guide as its first commit on `main`.
  private static let repository = Result {
    let package = try UserPackage(
      name: "gated", keepsBuild: true,
      files: [
        "Package.swift": Page("Sources/Scheduling/Scheduling.docc/Adding.md")
          .block(after: "`mine/Package.swift`"),
        "Sources/mine/Mine.swift": source.get(),
        ".gitignore": ".build\nPackage.resolved\nresults\ngate.*\nstd*.txt\n",
      ])
    try git(package, "init", "--quiet", "--initial-branch", "main")
    try commit(package, "first")
    return package
  }

  @discardableResult
  private static func git(_ package: UserPackage, _ words: String...) throws -> String {
    let outcome = try package.call(
      ["git", "-c", "user.name=demo", "-c", "user.email=demo@example.org"] + words)
    guard outcome.status == 0 else {
      throw UserPackage.Failure(description: "git \(words): \(outcome.errors)")
    }
    return outcome.output
  }

  private static func commit(_ package: UserPackage, _ words: String) throws {
    try git(package, "add", "--all")
    try git(package, "commit", "--quiet", "--message", words)
  }

  /// What a pull request does to the scheduler, and how its gate ends.
  @Test(
    arguments: [
      ("slower", "while let job = next() {", "while let job = next() {\n      turn(3000)", 2),
      (
        "not slower", "list.bands.firstIndex(where: { !$0.isEmpty })",
        "list.bands.indices.first(where: { !list.bands[$0].isEmpty })", 0
      ),
      ("a comment", "/// Takes time, as", "/// Takes time, just as", 0),
    ] as [(String, String, String, Int32)])
  func theScriptIsRedForASlowerCommitAlone(
    words: String, before: String, after: String, code: Int32
  ) throws {
    let package = try Self.repository.get()
    try Self.git(package, "checkout", "--quiet", "-B", "topic", "main")
    let source = try Self.source.get()
    let changed = source.replacing(before, with: after)
    try #require(changed != source)
    try package.write("Sources/mine/Mine.swift", changed)
    try Self.commit(package, words)
    let script = UserPackage.suiteRoot.appending(path: "Benchmarks/Examples/gate.sh").path()
    let gate = try package.call(
      ["env", "WORKLOADS=chain", "GATE_OPTIONS=--scheduler mine", "sh", script, "main"])
    #expect(gate.status == code, "\(words): \(gate.output)\(gate.errors)")
    #expect(gate.output.contains("**RED: ") == (code == 2), "\(words): \(gate.output)")
    let rows = try CSV.decode(
      Array(Data(contentsOf: package.root.appending(path: "gate.csv"))), path: "gate.csv")
    #expect(Set(rows.map(\.subject.scheduler)) == ["mine"])
    #expect(try Self.git(package, "worktree", "list").split(separator: "\n").count == 1)
    print("gate of \(words): \(gate.status)\n\(gate.output)\(gate.errors)")
  }

  @Test func countsOfABaselineGateFromItsFile() throws {
    let package = try Self.repository.get()
    try Self.git(package, "checkout", "--quiet", "main")
    let built = try package.call(["swift", "build", "-c", "release"])
    try #require(built.status == 0, "\(built.output)\(built.errors)")
    let saved = try package.call([
      ".build/release/mine", "baseline", "save", "main", "--force",
    ])
    try #require(saved.status == 0, "\(saved.errors)")
    // The package lies in this one, whose results folder it takes for its own.
    defer { _ = try? package.call([".build/release/mine", "baseline", "delete", "main"]) }
    let told = try #require(saved.errors.firstMatch(of: /and its counts, in (\S+)\.baseline\n/))
    let path = URL(filePath: "\(told.1).counts.csv")
    let text = try String(contentsOf: path, encoding: .utf8)
    var baseline = try CountsBaseline(csv: Array(text.utf8), path: path.path())
    let place = try #require(
      baseline.rows.firstIndex { $0.key.benchmark == "chain" && $0.key.scheduler == "inline" })
    var row = baseline.rows[place]
    let honest = row.counts.instructions

    // Counts as they are, then those of a base that took less, then of one that took more.
    for (factor, code) in [(1.0, 0), (0.9, 2), (1.1, 0)] as [(Double, Int32)] {
      row.counts.instructions = .init(honest.value * factor)
      baseline.record(row)
      try Data(baseline.csv).write(to: path)
      let gate = try package.call([
        ".build/release/mine", "check", "chain", "--scheduler", "inline", "--baseline", "main",
        "--quick", "--budget", "30s", "--output", "gate.csv", "--force",
      ])
      #expect(gate.status == code, "\(factor): \(gate.output)\(gate.errors)")
      #expect(
        gate.output.contains("RED: chain on inline, instructions: ") == (code == 2),
        "\(factor): \(gate.output)")
      #expect(
        gate.output.contains("Some counts are lower than those of the base") == (factor > 1),
        "\(factor): \(gate.output)")
      print("gate of counts times \(factor): \(gate.status)\n\(gate.output)\(gate.errors)")
    }
  }
}
