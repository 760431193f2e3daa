// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measurement
import Testing

@testable import Revisions

/// Builds in processes of their own, which are interrupted, killed, and get into each other's way.
@Suite struct RevisionProcessTests {
  /// A process that builds a revision.
  private struct Builder {
    let process = Process()
    let output = Pipe()

    init(_ demo: DemoPackage, _ revision: String, environment: [String: String] = [:]) throws {
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      process.executableURL = URL(filePath: own).deletingLastPathComponent()
        .appending(path: "RevisionsFixture")
      process.arguments = [demo.root, demo.package.product, revision, demo.swift]
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      process.standardOutput = output
      try process.run()
    }

    /// Waits for its end; what it said.
    func end() throws -> String {
      let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Waits until the endless build of a package runs; the id of its process.
  private func endlessBuild(_ demo: DemoPackage) throws -> Int32 {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      let text = (try? String(contentsOfFile: demo.folder + "/pid", encoding: .utf8)) ?? ""
      if text.hasSuffix("\n"), let id = Int32(text.dropLast()) { return id }
      usleep(10_000)
    }
    throw CancellationError()
  }

  private func isGone(_ process: Int32) -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      // A zombie of a test that nobody reaps is gone as well.
      let state = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
      if state.isEmpty || state.contains(") Z ") { return true }
      usleep(10_000)
    }
    return false
  }

  @Test func processesThatWantTheSameCommitBuildItOnce() throws {
    try DemoPackage.with { demo in
      let all = try (0..<4).map { _ in try Builder(demo, "HEAD") }
      let said = try all.map { try $0.end() }
      #expect(demo.builds == 1)
      #expect(all.allSatisfy { $0.process.terminationStatus == 0 }, "\(said)")
      #expect(Set(said.compactMap { $0.split(separator: "\n").last }).count == 1, "\(said)")
    }
  }

  @Test func ctrlCEndsTheBuildAndLeavesNothing() throws {
    try DemoPackage.with { demo in
      try demo.write("endless", "")
      try demo.commit("two")
      let builder = try Builder(demo, "HEAD")
      let build = try endlessBuild(demo)
      #expect(demo.worktrees.count == 2)
      kill(builder.process.processIdentifier, SIGINT)
      let said = try builder.end()
      #expect(builder.process.terminationStatus == 130, "\(said)")
      #expect(isGone(build))
      #expect(demo.worktrees.count == 1)
      #expect(demo.cached.isEmpty, "\(demo.cached)")
    }
  }

  @Test func whatAKilledProcessLeavesIsRemovedNextTime() throws {
    try DemoPackage.with { demo in
      try demo.write("endless", "")
      try demo.commit("two")
      let builder = try Builder(demo, "HEAD")
      let build = try endlessBuild(demo)
      kill(builder.process.processIdentifier, SIGKILL)
      _ = try builder.end()
      // The build ends with the process that wanted it.
      #expect(isGone(build))
      #expect(demo.worktrees.count == 2)
      let events = Events()
      _ = try demo.builder(events: events).build("HEAD~1")
      let work = demo.root + "/.build/revisions/" + demo.git("rev-parse", "--short=12", "HEAD")
      guard case .removesLeftover(let folder)? = events.all.first else {
        Issue.record("not told: \(events.all)")
        return
      }
      #expect(folder.hasPrefix(work) && folder.hasSuffix(".work"))
      #expect(demo.worktrees.count == 1)
      #expect(demo.cached.count == 2, "an entry and its lock: \(demo.cached)")
    }
  }

  /// With `.build` removed by hand, only git still knows of the worktree.
  @Test func worktreeWhoseFolderIsGoneIsForgotten() throws {
    try DemoPackage.with { demo in
      try demo.write("endless", "")
      try demo.commit("two")
      let builder = try Builder(demo, "HEAD")
      let build = try endlessBuild(demo)
      kill(builder.process.processIdentifier, SIGKILL)
      _ = try builder.end()
      #expect(isGone(build))
      try FileManager.default.removeItem(atPath: demo.root + "/.build")
      _ = try demo.builder().build("HEAD~1")
      #expect(demo.worktrees.count == 1)
    }
  }

  @Test func buildOfALivingProcessIsLeftAlone() throws {
    try DemoPackage.with { demo in
      try demo.write("endless", "")
      try demo.commit("two")
      let builder = try Builder(demo, "HEAD")
      _ = try endlessBuild(demo)
      let events = Events()
      _ = try demo.builder(events: events).build("HEAD~1")
      #expect(!events.all.contains { if case .removesLeftover = $0 { true } else { false } })
      #expect(demo.worktrees.count == 2)
      #expect(builder.process.isRunning)
      kill(builder.process.processIdentifier, SIGTERM)
      _ = try builder.end()
      #expect(demo.worktrees.count == 1)
    }
  }

  /// As a hook of git starts it.
  @Test func repositoryOfACallingGitDoesNotCount() throws {
    try DemoPackage.with { demo in
      let builder = try Builder(
        demo, "HEAD", environment: ["GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index"])
      let said = try builder.end()
      #expect(builder.process.terminationStatus == 0, "\(said)")
    }
  }
}
