// SPDX-License-Identifier: Apache-2.0

import TestFolders
import Testing

@testable import Results

@Suite("Baselines")
struct BaselineTests {
  static let commit = "6180120d52a1b7c0c9a7c3e1f00d5eed2b0a4c11"

  static func baseline(branch: String? = "main", commit: String = commit) throws -> Baseline {
    Baseline(
      commit: commit, branch: branch,
      machine: try #require(MachineID(text: "h:3fa9c0d2e4b86a17")), processor: "AMD EPYC 7763",
      toolchain: "Swift 6.3.1", saved: Timestamp(unixSeconds: 1_769_860_800))
  }

  static func store(in folder: String, machine: String = "h:3fa9c0d2e4b86a17") throws
    -> BaselineStore
  {
    BaselineStore(resultsFolder: folder, machine: try #require(MachineID(text: machine)))
  }

  @Test("what is written reads back", arguments: ["main", nil])
  func readsBack(branch: String?) throws {
    let baseline = try Self.baseline(branch: branch)
    #expect(try Baseline(baseline.bytes, path: "b") == baseline)
  }

  @Test("names are names, short, and no options")
  func names() {
    for name in ["main", "v1_2", "a-b", String(repeating: "a", count: 64)] {
      #expect(Baseline.isNameOfBaseline(name))
    }
    for name in ["", "-a", "a/b", "..", "a.b", "a b", String(repeating: "a", count: 65), "ä"] {
      #expect(!Baseline.isNameOfBaseline(name), "\(name)")
    }
  }

  @Test("a name that is taken is replaced only when told to, its counts with it")
  func overwrites() throws {
    try TestDirectory.with { folder in
      let store = try Self.store(in: folder)
      try store.save(Self.baseline(), counts: [1], as: "main", overwrite: false)
      let other = try Self.baseline(commit: String(repeating: "a", count: 40))
      let error = #expect(throws: FileError.self) {
        try store.save(other, counts: [2], as: "main", overwrite: false)
      }
      #expect(error?.reason == .alreadyExists)
      #expect(try File.read(store.countsPath(of: "main")) == [1])
      try store.save(other, counts: [2], as: "main", overwrite: true)
      let bytes = try File.read(store.path(of: "main"))
      #expect(try Baseline(bytes, path: "b").commit == other.commit)
      #expect(try File.read(store.countsPath(of: "main")) == [2])
      // Counts of an earlier baseline would be taken for those of this one.
      try store.save(other, counts: nil, as: "main", overwrite: true)
      #expect(TestDirectory.names(in: store.ownFolder) == ["main.baseline"])
    }
  }

  @Test("counts that a crash left behind do not keep a name from being saved")
  func replacesStrayCounts() throws {
    try TestDirectory.with { folder in
      let store = try Self.store(in: folder)
      try File.makeDirectories(store.ownFolder)
      try AtomicFile.write([9], to: store.countsPath(of: "main"), overwrite: false)
      try store.save(Self.baseline(), counts: [1], as: "main", overwrite: false)
      #expect(try File.read(store.countsPath(of: "main")) == [1])
    }
  }

  @Test("every machine has a folder, and the list has them all")
  func listsMachines() throws {
    try TestDirectory.with { folder in
      let own = try Self.store(in: folder)
      #expect(try own.entries().isEmpty)
      let other = try Self.store(in: folder, machine: "h:0000000000000001")
      try own.save(Self.baseline(), counts: [1], as: "main", overwrite: false)
      try own.save(Self.baseline(), counts: nil, as: "before", overwrite: false)
      try other.save(Self.baseline(), counts: nil, as: "main", overwrite: false)
      try AtomicFile.write([1], to: folder + "/baselines/counts.csv", overwrite: false)
      #expect(
        try own.entries().map { "\($0.machine) \($0.name)" } == [
          "h-0000000000000001 main", "h-3fa9c0d2e4b86a17 before", "h-3fa9c0d2e4b86a17 main",
        ])
      try own.delete("main")
      #expect(TestDirectory.names(in: own.ownFolder) == ["before.baseline"])
      #expect(try other.entries().count == 2)
      let error = #expect(throws: FileError.self) { try own.delete("main") }
      #expect(error?.reason == .notFound)
    }
  }
}
