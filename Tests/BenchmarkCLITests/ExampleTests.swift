// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Measurement
import Testing

/// The files of `Benchmarks/Examples`, run as a user's repository would run them.
///
/// A script stands in for the compiler, and for what needs a service or another machine; all else
/// is as in the files.
@Suite(
  .serialized, .timeLimit(.minutes(5)),
  .enabled(if: BuildFacts.sanitizer == nil, "a sanitizer's program gates nothing"))
struct ExampleTests {
  private static let examples = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Benchmarks/Examples").path

  /// What the tests tell the gate beside the words of the example.
  private static let options = "--allow-debug --allocator system --no-progress"

  /// Runs a command in the repository, as a fresh clone on another machine has its environment.
  private static func run(
    _ command: [String], in repository: GatedRepository, _ environment: [String] = []
  ) -> (code: Int32, transcript: String) {
    let outcome = ExternalProgram.run(
      [
        "env", "-C", repository.root, "-u", "GITHUB_ACTIONS", "-u", "GITHUB_STEP_SUMMARY",
        "PATH=\(repository.folder)/bin:/usr/bin:/bin", "HOME=\(repository.folder)",
        "TMPDIR=\(repository.folder)", "PWD=\(repository.root)", "GATE_OPTIONS=\(options)",
      ] + environment + command,
      environment: Git.environment)
    return (outcome.code, outcome.transcript)
  }

  @Test func theScriptIsRedForASlowerCommitAlone() throws {
    try GatedRepository.with { repository in
      for (words, turns, code) in [
        ("slower", 5000, 2), ("a comment", 5000, 0), ("no slower", 4990, 0),
      ] {
        try repository.commit(words, turns: turns)
        let gate = Self.run(
          ["sh", "\(Self.examples)/gate.sh", "HEAD~1"], in: repository, ["BUDGET=60s"])
        #expect(gate.code == code, "\(words): \(gate.transcript)")
        let report = try repository.read("gate.md")
        #expect(report.hasPrefix("**RED: ") == (code == 2), "\(words): \(report)")
      }
      #expect(try repository.worktrees == 1)
    }
  }

  @Test func theWorkflowIsRedForASlowerCommitAlone() throws {
    let steps = try Self.steps()
    #expect(steps.count == 4)
    try GatedRepository.with { repository in
      try repository.stub("apt-get")
      try repository.git("checkout", "--quiet", "-b", "topic")
      for (words, turns, code) in [("slower", 5000, 2), ("a comment", 3000, 0)] {
        try repository.commit(words, turns: turns)
        var codes: [Int32] = []
        var transcript = ""
        for step in steps where codes.allSatisfy({ $0 == 0 }) {
          // As the service runs them.
          let ran = Self.run(
            ["bash", "-e", "-c", step], in: repository,
            [
              "GITHUB_ACTIONS=true", "GITHUB_BASE_REF=main", "PRODUCT=mine",
              "GITHUB_WORKSPACE=\(repository.root)",
              "GITHUB_STEP_SUMMARY=\(repository.folder)/summary.md",
            ])
          codes.append(ran.code)
          transcript += ran.transcript
        }
        #expect(codes == [0, 0, 0, Int32(code)], "\(words): \(transcript)")
        #expect(transcript.contains("::error ") == (code == 2), "\(words): \(transcript)")
      }
    }
  }

  /// The `run:` of every step, as a reader of YAML finds them.
  private static func steps() throws -> [String] {
    let program = """
      import json, sys, yaml
      flow = yaml.safe_load(open(sys.argv[1]))
      assert "pull_request" in flow[True] and flow["env"] == {"PRODUCT": "mine"}
      checkout = flow["jobs"]["gate"]["steps"][0]
      assert checkout["uses"].startswith("actions/checkout@") and checkout["with"] == {"fetch-depth": 0}
      json.dump([step["run"] for step in flow["jobs"]["gate"]["steps"] if "run" in step], sys.stdout)
      """
    let outcome = ExternalProgram.run(["python3", "-c", program, "\(examples)/gate.yml"])
    try #require(
      outcome.code == 0,
      "expected python3-yaml (scripts/install-packages --examples): \(outcome.transcript)")
    return try JSONDecoder().decode([String].self, from: Data(outcome.output.utf8))
  }
}
