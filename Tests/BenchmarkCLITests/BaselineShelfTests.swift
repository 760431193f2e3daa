// SPDX-License-Identifier: Apache-2.0

import Results
import TestFolders
import Testing

@testable import BenchmarkCLI

@Suite struct BaselineShelfTests {
  private static let commit = String(repeating: "c", count: 40)

  private static func identity(_ machine: String = "h:00000000000000aa") throws -> RunIdentity {
    RunIdentity(
      time: Timestamp(unixSeconds: 1_769_860_800), runID: RunID(unixMilliseconds: 1),
      machineID: try #require(MachineID(text: machine)))
  }

  private static func baseline(_ machine: String = "h:00000000000000aa") throws -> Baseline {
    try BaselineShelf.baseline(
      of: CodeIdentity(
        commit: commit, branch: "main", isDirty: false, toolchain: "Swift 6.3.1"),
      run: identity(machine))
  }

  /// A shelf of a machine in that folder, and what it says.
  private static func shelf(
    _ folder: String, machine: String = "h:00000000000000aa",
    say: @escaping (String) -> Void = { _ in }
  ) throws -> BaselineShelf {
    BaselineShelf(
      store: BaselineStore(resultsFolder: folder, machine: try identity(machine).machineID),
      console: Console(out: say, talk: say))
  }

  @Test func whatIsSavedIsListedShownAndDeleted() throws {
    try TestDirectory.with { folder in
      var said = ""
      let shelf = try Self.shelf(folder) { said += $0 }
      try shelf.save(Self.baseline(), as: "main", force: false, quiet: true)
      #expect(said.isEmpty)
      try shelf.list(isJSON: false)
      #expect(said.contains("main  cccccccccccc  2026-01-31T12:00:00Z  Swift 6.3.1"))
      #expect(said.contains("this one"))
      said = ""
      try shelf.show("main", isJSON: false)
      #expect(said.contains("commit \(Self.commit)\n"))
      said = ""
      try shelf.show("main", isJSON: true)
      #expect(said.contains("\"commit\": \"\(Self.commit)\""))
      try shelf.delete("main", quiet: true)
      #expect(throws: ToolFailure.self) { try shelf.show("main", isJSON: false) }
    }
  }

  @Test func aNameThatIsTakenNeedsForce() throws {
    try TestDirectory.with { folder in
      let shelf = try Self.shelf(folder)
      try shelf.save(Self.baseline(), as: "main", force: false, quiet: true)
      let error = try #require(throws: ToolFailure.self) {
        try shelf.save(Self.baseline(), as: "main", force: false, quiet: true)
      }
      #expect(error.code == .usage && error.nextStep.contains("--force"))
      try shelf.save(Self.baseline(), as: "main", force: true, quiet: true)
    }
  }

  @Test func aBaselineOfAnotherMachineIsNoneHere() throws {
    try TestDirectory.with { folder in
      let other = "h:00000000000000bb"
      try Self.shelf(folder, machine: other)
        .save(Self.baseline(other), as: "main", force: false, quiet: true)
      let shelf = try Self.shelf(folder)
      for name in ["main", "release"] {
        let error = try #require(throws: ToolFailure.self) { try shelf.baseline(named: name) }
        #expect(error.code.rawValue == 5)
        #expect(error.finding.contains("another machine") == (name == "main"), "\(error)")
      }
    }
  }

  @Test func aMalformedBaselineIsNamed() throws {
    try TestDirectory.with { folder in
      let shelf = try Self.shelf(folder)
      try shelf.save(Self.baseline(), as: "main", force: false, quiet: true)
      try AtomicFile.write([], to: shelf.store.path(of: "main"), overwrite: true)
      let error = try #require(throws: ToolFailure.self) { try shelf.list(isJSON: false) }
      #expect(error.code == .malformedInput && error.place.hasSuffix("main.baseline:1"))
    }
  }

  @Test func onlyACommitWithoutChangesIsSaved() throws {
    for code in [CodeIdentity(), CodeIdentity(commit: Self.commit, isDirty: true)] {
      let error = try #require(throws: ToolFailure.self) {
        try BaselineShelf.baseline(of: code, run: Self.identity())
      }
      #expect(error.code == .usage && error.nextStep.contains("commit"))
    }
  }

  @Test(
    arguments: [
      [], ["sav", "x"], ["save"], ["save", "a", "b"], ["save", "../x"], ["save", ""],
      ["list", "x"],
      ["show"], ["delete"],
    ])
  func otherWordsAreRefused(words: [String]) throws {
    let parsed = try ArgumentParser(workloadNames: ["chain"]).parse(["baseline"] + words)
    let error = try #require(throws: ToolFailure.self) { try BaselineRequest(parsed) }
    #expect(error.code == .usage && error.place.hasPrefix("baseline"))
    #expect(!error.description.isEmpty)
  }
}
