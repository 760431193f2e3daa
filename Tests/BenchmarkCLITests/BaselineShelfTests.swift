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

  @Test func aGateTakesABaselineOfItsOwnMachineOnly() throws {
    try TestDirectory.with { folder in
      let shelf = try Self.shelf(folder)
      let own = try #require(MachineID(text: "h:00000000000000aa"))
      // A file of another machine that somebody put into the folder of this one.
      try shelf.save(Self.baseline(), as: "own", force: false, quiet: true)
      try shelf.save(Self.baseline("h:00000000000000bb"), as: "moved", force: false, quiet: true)
      #expect(try shelf.baseline(named: "own", of: own).commit == Self.commit)
      let moved = try #require(throws: ToolFailure.self) {
        try shelf.baseline(named: "moved", of: own)
      }
      #expect(
        moved.code == .noBaseline && moved.finding.contains("NOT JUDGED: it is of the machine"))
      #expect(
        moved.expectation.contains(own.text) && moved.nextStep.contains("baseline save moved"))
      let none = try #require(throws: ToolFailure.self) {
        try shelf.baseline(named: "none", of: own)
      }
      #expect(none.code == .noBaseline)
      let elsewhere = try Self.shelf(folder, machine: "h:00000000000000bb")
      let foreign = try #require(throws: ToolFailure.self) {
        try elsewhere.baseline(
          named: "own", of: #require(MachineID(text: "h:00000000000000bb")))
      }
      #expect(foreign.code == .noBaseline && foreign.finding.contains("another machine"))
    }
  }

  @Test func countsLieBesideTheirBaselineAndGoWithIt() throws {
    try TestDirectory.with { folder in
      let shelf = try Self.shelf(folder)
      var counts = CountsBaseline()
      counts.record(
        CountsBaselineRow(
          key: CountsKey(
            benchmark: "chain", params: RowParameters([("workers", "1")]), scheduler: "inline"),
          counts: OperationCounts(
            instructions: .init(900), readModifyWrites: .init(8), allocations: .init(1)),
          toolchain: "Swift 6.3.1", commit: Self.commit))
      try shelf.save(Self.baseline(), counts: counts.csv, as: "main", force: false, quiet: true)
      let stored = try #require(try shelf.counts(named: "main"))
      #expect(stored.baseline == counts && stored.path.hasSuffix("/main.counts.csv"))
      #expect(try shelf.counts(named: "main", of: Self.baseline()) == stored)
      // Of two branches git may bring the one file from here and the other from there.
      let other = Baseline(
        commit: String(repeating: "d", count: 40), branch: "main",
        machine: try Self.identity().machineID, processor: "unknown", toolchain: "Swift 6.3.1",
        saved: try Self.identity().time)
      let mixed = try #require(throws: ToolFailure.self) {
        try shelf.counts(named: "main", of: other)
      }
      #expect(
        mixed.code == .malformedInput && mixed.place == stored.path
          && mixed.finding == "it has counts of commit \(Self.commit)"
          && mixed.expectation.contains(other.commit)
          && mixed.nextStep.contains("baseline save main --force"), "\(mixed)")
      try AtomicFile.write(Array("benchmark\n".utf8), to: stored.path, overwrite: true)
      let error = try #require(throws: ToolFailure.self) { try shelf.counts(named: "main") }
      #expect(error.code == .malformedInput && error.place.contains("main.counts.csv"))
      try shelf.save(Self.baseline(), as: "main", force: true, quiet: true)
      #expect(try shelf.counts(named: "main") == nil)
    }
  }
}
