// SPDX-License-Identifier: Apache-2.0

import Measurement
import TestFolders
import Testing

@testable import BenchmarkCLI

@Suite struct GateBaseTests {
  /// A repository in that folder, on branch `main` with so many commits.
  private static func repository(_ folder: String, commits: Int = 2) throws -> String {
    let path = folder + "/repository"
    try git(folder, "init", "--quiet", "--initial-branch", "main", path)
    for _ in 0..<commits { try commit(path) }
    return path
  }

  /// A commit of which there is no equal, even within a second.
  private static func commit(_ path: String) throws {
    let message = "more \(UInt64.random(in: .min ... .max))"
    try git(path, "commit", "--quiet", "--allow-empty", "--message", message)
  }

  @discardableResult
  private static func git(_ folder: String, _ words: String...) throws -> String {
    let outcome = ExternalProgram.run(
      ["git", "-C", folder, "-c", "user.name=demo", "-c", "user.email=demo@example.org"] + words,
      environment: Git.environment)
    try #require(outcome.code == 0, "\(outcome.transcript)")
    return outcome.firstLine
  }

  private static func usual(_ folder: String, target: String? = nil) throws -> GateBase {
    try GateBase.usual(Git(folder: folder), target: target)
  }

  @Test func onTheMainBranchItIsTheCommitBefore() throws {
    try TestDirectory.with { folder in
      let path = try Self.repository(folder)
      #expect(
        try Self.usual(path)
          == GateBase(revision: Self.git(path, "rev-parse", "HEAD~1"), name: "HEAD~1"))
    }
  }

  @Test func onAnotherBranchItIsWhereTheBranchBegan() throws {
    try TestDirectory.with { folder in
      let path = try Self.repository(folder)
      let begin = try Self.git(path, "rev-parse", "HEAD")
      try Self.git(path, "checkout", "--quiet", "-b", "topic")
      for _ in 0..<2 { try Self.commit(path) }
      try Self.git(path, "checkout", "--quiet", "main")
      try Self.commit(path)
      try Self.git(path, "checkout", "--quiet", "topic")
      #expect(
        try Self.usual(path) == GateBase(revision: begin, name: "the merge base with main"))
      // The branch that a pull request is to go into goes before the usual names.
      try Self.git(path, "branch", "release", "topic~1")
      #expect(
        try Self.usual(path, target: "release")
          == GateBase(
            revision: Self.git(path, "rev-parse", "topic~1"), name: "the merge base with release"))
      #expect(try Self.usual(path, target: "gone").revision == begin)
    }
  }

  @Test func theBranchOfTheRemoteGoesBeforeTheLocalOne() throws {
    try TestDirectory.with { folder in
      let path = try Self.repository(folder)
      let clone = folder + "/clone"
      try Self.git(folder, "clone", "--quiet", "file://" + path, clone)
      try Self.commit(clone)
      #expect(try Self.usual(clone).name == "the merge base with origin/main")
      // The local one is behind: a branch begins where the remote's is.
      try Self.git(clone, "checkout", "--quiet", "-b", "topic", "origin/main")
      try Self.git(clone, "branch", "--quiet", "--force", "main", "origin/main~1")
      try Self.commit(clone)
      #expect(
        try Self.usual(clone)
          == GateBase(
            revision: Self.git(clone, "rev-parse", "origin/main"),
            name: "the merge base with origin/main"))
    }
  }

  @Test func theMainBranchIsTheOneThatTheRemoteHasCheckedOut() throws {
    try TestDirectory.with { folder in
      let path = try Self.repository(folder)
      try Self.git(path, "branch", "--quiet", "--move", "main", "develop")
      let clone = folder + "/clone"
      try Self.git(folder, "clone", "--quiet", "file://" + path, clone)
      for _ in 0..<2 { try Self.commit(clone) }
      #expect(try Self.usual(clone).name == "the merge base with origin/develop")
    }
  }

  /// A gate leaves its report in the folder.
  @Test func filesThatGitDoesNotKnowAreNoChange() throws {
    try TestDirectory.with { folder in
      let path = try Self.repository(folder)
      try #require(ExternalProgram.run(["touch", path + "/gate.md"]).code == 0)
      #expect(try Self.usual(path).name == "HEAD~1")
    }
  }

  @Test func changesThatAreNotCommittedAreMeasuredAgainstTheLastCommit() throws {
    try TestDirectory.with { folder in
      let path = try Self.repository(folder)
      let head = try Self.git(path, "rev-parse", "HEAD")
      try Self.git(path, "config", "core.fileMode", "true")
      try Self.git(path, "rm", "--quiet", "--cached", "--ignore-unmatch", "x")
      try #require(ExternalProgram.run(["touch", path + "/x"]).code == 0)
      try Self.git(path, "add", "x")
      #expect(try Self.usual(path).revision == head)
      #expect(try Self.usual(path).name.hasPrefix("HEAD, which"))
    }
  }

  @Test func withoutAnEarlierCommitThereIsNoBase() throws {
    try TestDirectory.with { folder in
      let path = try Self.repository(folder, commits: 1)
      let first = try #require(throws: ToolFailure.self) { try Self.usual(path) }
      #expect(first.code.rawValue == 5 && first.nextStep.contains("--base"))
      try Self.commit(path)
      let clone = folder + "/shallow"
      try Self.git(folder, "clone", "--quiet", "--depth", "1", "file://" + path, clone)
      let shallow = try #require(throws: ToolFailure.self) { try Self.usual(clone) }
      #expect(shallow.code.rawValue == 5 && shallow.nextStep.contains("fetch-depth: 0"))
      let none = try #require(throws: ToolFailure.self) { try Self.usual(folder) }
      #expect(none.code == .usage)
    }
  }
}

@Suite struct CheckRequestTests {
  private static func request(_ words: String...) throws -> CheckRequest {
    try CheckRequest(
      ArgumentParser(workloadNames: ["chain"]).parse(["check"] + words))
  }

  @Test func theBaseIsARevisionOrABaseline() throws {
    #expect(try Self.request().base == .usual)
    #expect(try Self.request("--base", "HEAD~2", "chain").base == .revision("HEAD~2"))
    #expect(try Self.request("--baseline", "main").base == .baseline("main"))
    for words in [["--base", "x", "--baseline", "y"], ["--baseline", "../x"]] {
      let parsed = try ArgumentParser(workloadNames: []).parse(["check"] + words)
      let error = try #require(throws: ToolFailure.self) { try CheckRequest(parsed) }
      #expect(error.code == .usage && error.place == "--baseline")
    }
  }

  @Test func countsAreOnOffOrAsTheBaselineHasThem() throws {
    #expect(try Self.request().counts == nil)
    #expect(try Self.request("--counts", "on").counts == true)
    #expect(try Self.request("--counts", "off").counts == false)
  }

  @Test func strictnessIsAskedFor() throws {
    let plain = try Self.request()
    #expect(!plain.requiresConclusion && !plain.failsOnImprovement)
    let strict = try Self.request("--require-conclusive", "--fail-on-improvement")
    #expect(strict.requiresConclusion && strict.failsOnImprovement)
  }
}
