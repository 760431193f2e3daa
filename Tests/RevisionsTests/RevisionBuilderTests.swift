// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measurement
import Testing

@testable import Revisions

@Suite struct RevisionBuilderTests {
  @Test func buildsTheCommitAndNotTheWorkingTree() throws {
    try DemoPackage.with { demo in
      try demo.commit("two")
      try demo.write("word", "three")
      let old = try demo.builder().build("HEAD~1")
      let new = try demo.builder().build("main")
      #expect(demo.say(old) == "one other then")
      #expect(demo.say(new) == "two other then")
      #expect(old.code.commit == demo.git("rev-parse", "HEAD~1"))
      #expect(old.code.isDirty == false)
      #expect(old.code.toolchain == "Swift 9.8.7")
      #expect(old.code.binary != nil && old.code.binary != new.code.binary)
      #expect(
        FileManager.default.fileExists(
          atPath: demo.cache + "/" + demo.cached[0] + "/bin/demo_demo.resources"))
      #expect(demo.git("status", "--porcelain") == " M word")
    }
  }

  @Test func leavesNoWorktreeBehind() throws {
    try DemoPackage.with { demo in
      _ = try demo.builder().build("HEAD")
      #expect(demo.worktrees.count == 1)
      #expect(!demo.cached.contains { $0.hasSuffix(".work") }, "\(demo.cached)")
    }
  }

  @Test func secondUseBuildsNothing() throws {
    try DemoPackage.with { demo in
      let first = try demo.builder().build("HEAD")
      let events = Events()
      let second = try demo.builder(events: events).build("main")
      #expect(first.executable == second.executable)
      #expect(!first.wasThere && second.wasThere)
      #expect(demo.builds == 1)
      #expect(events.all.isEmpty)
    }
  }

  /// Another compiler, another option: another executable.
  @Test func settingsAreKeptApart() throws {
    try DemoPackage.with { demo in
      let plain = try demo.builder().build("HEAD")
      let traits = try RevisionBuilder(
        demo.package, options: ["--traits", "More"], swift: demo.swift
      ).build("HEAD")
      #expect(plain.executable != traits.executable)
      #expect(demo.builds == 2)
    }
  }

  @Test func packageBelowTheRootOfItsRepository() throws {
    try DemoPackage.with(prefix: "tools/bench") { demo in
      try demo.write("../other/value", "inside then")
      try demo.commit("two")
      try demo.write("../other/value", "inside now")
      try demo.commit("three")
      let built = try demo.builder().build("HEAD~1")
      #expect(demo.say(built) == "two inside then")
      // It belongs to the commit.
      #expect(built.localDependencies.isEmpty)
    }
  }

  @Test func revisionFromBeforeThePackageIsToldSo() throws {
    try DemoPackage.with(prefix: "tools/bench") { demo in
      demo.git("rm", "-r", "--quiet", "tools/bench")
      demo.git("commit", "--quiet", "--allow-empty", "--message", "without")
      try demo.write("Package.swift", "// demo\n")
      try demo.commit("two")
      let failure = RevisionFailure.noPackageThen(
        commit: demo.git("rev-parse", "HEAD~1"), manifest: "tools/bench/Package.swift")
      #expect(throws: failure) { try demo.builder().build("HEAD~1") }
    }
  }

  /// What lies outside the repository is not part of a commit.
  @Test func localDependencyIsAsItIsNowAndIsBuiltAgainWhenItChanges() throws {
    try DemoPackage.with { demo in
      let first = try demo.builder().build("HEAD")
      #expect(first.localDependencies == [demo.folder + "/other"])
      first.release()
      try demo.writeAside("other/value", "other now")
      let second = try demo.builder().build("HEAD")
      #expect(demo.say(second) == "one other now")
      second.release()
      #expect(try demo.builder().build("HEAD").wasThere)
      #expect(demo.builds == 2)
    }
  }

  @Test func revisionThatDoesNotBuildIsToldWithItsErrors() throws {
    try DemoPackage.with { demo in
      try demo.write("broken", "")
      try demo.commit("two")
      let commit = demo.git("rev-parse", "HEAD")
      let log = "\(demo.cache)/\(commit.prefix(12))"
      do {
        _ = try demo.builder().build("HEAD")
        Issue.record("it built")
      } catch let RevisionFailure.notBuilt(found, product, errors, path) {
        #expect(found == commit && product == "demo" && path.hasPrefix(log))
        #expect(errors == ["Mine.swift:7:3: error: no such thing"])
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains("[1/2] Compiling"))
      }
      #expect(demo.worktrees.count == 1)
      #expect(demo.cached.count == 1, "only the log stays: \(demo.cached)")
    }
  }

  @Test func unknownRevisionsSayWhetherTheHistoryIsCutOff() throws {
    try DemoPackage.with { demo in
      try demo.commit("two")
      for revision in ["HEAD~7", "nowhere", "--all", "", "HEAD:word"] {
        #expect(throws: RevisionFailure.unknownRevision(revision, isShallow: false)) {
          try demo.builder().build(revision)
        }
      }
      let clone = demo.folder + "/clone"
      demo.git("clone", "--quiet", "--depth", "1", "file://" + demo.repository, clone)
      let shallow = MeasuredPackage(folder: clone, product: "demo")
      #expect(throws: RevisionFailure.unknownRevision("HEAD~1", isShallow: true)) {
        try RevisionBuilder(shallow, swift: demo.swift).build("HEAD~1")
      }
    }
  }

  @Test func whatIsMissingIsNamed() throws {
    try DemoPackage.with { demo in
      func expect(_ swift: String, _ failure: ProgramFailure) {
        #expect(throws: RevisionFailure.noProgram(failure)) {
          try RevisionBuilder(demo.package, swift: swift).build("HEAD")
        }
      }
      expect("no-such-swift", ProgramFailure("no-such-swift", .notStarted(ENOENT)))
      let swift = demo.folder + "/broken-swift"
      try demo.writeAside("broken-swift", "#!/bin/sh\necho no toolchain is chosen\nexit 3\n")
      expect(swift, ProgramFailure(swift, .notStarted(EACCES)))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift)
      expect(
        swift, ProgramFailure(swift + " --version", .ended(code: 3, said: "no toolchain is chosen"))
      )
      let outside = MeasuredPackage(folder: demo.folder, product: "demo")
      do {
        _ = try RevisionBuilder(outside, swift: demo.swift).build("HEAD")
        Issue.record("it built")
      } catch let RevisionFailure.noRepository(package, said) {
        #expect(package == demo.folder && said.contains("not a git repository"))
      }
    }
  }

  @Test func keepsWhatWasUsedLastAndWhatIsInUse() throws {
    try DemoPackage.with { demo in
      var built: [BuiltRevision] = []
      for word in ["two", "three", "four"] {
        try demo.commit(word)
        built.append(try demo.builder().build("HEAD"))
      }
      let manager = FileManager.default
      built[1].release()
      built[2].release()
      var forgotten: [String] = []
      try RevisionCache(demo.package).prune(to: 1) { forgotten.append($0) }
      // The first is the oldest and in use, the last the newest.
      #expect(forgotten == [String((built[1].code.commit ?? "").prefix(12))])
      #expect(manager.fileExists(atPath: built[0].executable))
      #expect(!manager.fileExists(atPath: built[1].executable))
      #expect(manager.fileExists(atPath: built[2].executable))
      #expect(demo.cached.count { $0.hasSuffix(".lock") } == 2)
    }
  }
}
