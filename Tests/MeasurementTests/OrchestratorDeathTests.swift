// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Machine
internal import Measurement
internal import Testing

@Suite("Children and the death of others") struct OrchestratorDeathTests {
  /// An orchestrator in a process of its own with a child that never ends.
  private final class Orchestration {
    let process = Process()
    let output = Pipe()
    let child: Int32

    init() throws {
      let path = Fixture.temporaryPath()
      defer { try? FileManager.default.removeItem(atPath: path) }
      var assignment = Fixture.assignment("hang")
      assignment.subject = .graph(path: path)
      process.executableURL = URL(fileURLWithPath: Fixture.path)
      process.arguments = ["orchestrate", assignment.line, "system"]
      process.standardOutput = output
      try process.run()
      var pid: Int32?
      _ = eventually {
        pid = SystemFiles.ofThisMachine.number(path).flatMap { Int32(exactly: $0) }
        return pid != nil
      }
      child = try #require(pid, "the child did not start")
    }

    func result() throws -> String {
      let data = try output.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
  }

  @Test(arguments: 0..<5) func aChildDoesNotOutliveItsKilledOrchestrator(_ time: Int) throws {
    let orchestration = try Orchestration()
    #expect(!isGone(orchestration.child))
    kill(orchestration.process.processIdentifier, SIGKILL)
    #expect(eventually(within: .seconds(5)) { isGone(orchestration.child) })
    orchestration.process.waitUntilExit()
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func aSignalToTheGroupIsTheOrchestratorsToHandle(_ signal: Int32) throws {
    let orchestration = try Orchestration()
    let group = getpgid(orchestration.process.processIdentifier)
    try #require(group == orchestration.process.processIdentifier)
    kill(-group, signal)
    #expect(try orchestration.result() == "interrupted")
    #expect(orchestration.process.terminationStatus == 130)
    #expect(isGone(orchestration.child))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func aChildAloneIgnoresWhatIsMeantForTheOrchestrator(_ signal: Int32) throws {
    let orchestration = try Orchestration()
    kill(orchestration.child, signal)
    // Had the first one counted, it would be the child's end, since the kernel keeps the first
    // fatal one.
    kill(orchestration.child, SIGKILL)
    #expect(try orchestration.result() == "crashed: signal 9 (SIGKILL)")
  }

  @Test func aKilledChildIsACrash() throws {
    let orchestration = try Orchestration()
    kill(orchestration.child, SIGKILL)
    #expect(try orchestration.result() == "crashed: signal 9 (SIGKILL)")
    #expect(orchestration.process.terminationStatus == 0)
  }

  @Test func aRaisedFlagEndsTheChildAtOnce() {
    let pipe = Pipe()
    let flag = InterruptFlag(descriptor: pipe.fileHandleForReading.fileDescriptor)
    #expect(!flag.isRaised)
    pipe.fileHandleForWriting.write(Data("!".utf8))
    #expect(flag.isRaised)
    let outcome = Fixture.run(Fixture.assignment("hang"), interrupt: flag)
    #expect(outcome.failure == .interrupted)
  }
}
