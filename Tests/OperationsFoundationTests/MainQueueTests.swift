// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The main queue, in a program whose main thread is its own.
struct MainQueueTests {
  @Test(.contract(118, 119)) func currentIsTheMainQueueOnTheMainThreadFromTheFirstLineOn() throws {
    let run = try Fixture.run("current")
    #expect(run.code == 0)
    #expect(run.output == ["main thread: true", "other thread: none"])
  }

  @Test(.contract(119)) func operationsRunOnTheMainThreadWhileItServesItsRunLoop() throws {
    let run = try Fixture.run("run-loop")
    #expect(run.code == 0)
    #expect(
      run.output == [
        "fixed: true 1 NSOperationQueue Main Queue",
        "as on Foundation: true true",
        "high: main queue, main thread",
        "low: main queue, main thread",
        "update: main queue, main thread",
        "work: other queue, other thread",
        "left: 0",
      ])
  }

  @Test(.contract(119)) func operationsRunUnderDispatchMain() throws {
    let run = try Fixture.run("dispatch-main")
    #expect(run.code == 0)
    #expect(run.output == ["in main: true", "between: true"])
  }

  @Test(.contract(101, 119), arguments: ["wait-for-operation", "wait-for-cancelled"])
  func waitingOnTheMainThreadForItsOwnOperationStopsTheProcess(_ mode: String) throws {
    let run = try Fixture.run(mode)
    #expect(run.code != 0)
    #expect(run.errors.contains("because the main thread, which runs the operations"))
  }

  @Test(.contract(100)) func theMainThreadWaitsForOperationsOfOtherQueues() throws {
    let run = try Fixture.run("wait-for-others")
    #expect(run.code == 0, "\(run.errors)")
    #expect(run.output == ["all finished"])
  }

  @Test(.contract(101, 119)) func waitingOnTheMainThreadForTheMainQueueStopsTheProcess() throws {
    let run = try Fixture.run("wait-for-queue")
    #expect(run.code != 0)
    #expect(run.output == ["empty: returned"])
    #expect(run.errors.contains("the main thread, which runs its operations"))
  }
}

/// The program `MainQueueFixture`, built beside the tests.
private enum Fixture {
  static func run(_ mode: String) throws -> (code: Int32, output: [String], errors: String) {
    let process = Process()
    let output = Pipe()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = [mode]
    process.environment = ProcessInfo.processInfo.environment
      .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let written = try output.fileHandleForReading.readToEnd() ?? Data()
    let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let lines = String(decoding: written, as: UTF8.self).split(separator: "\n").map(String.init)
    return (process.terminationStatus, lines, String(decoding: complaints, as: UTF8.self))
  }

  private static var path: String {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    // Some test runners load the tests into a program of their own and name the bundle in an
    // argument.
    let bundles = CommandLine.arguments.filter { $0.contains(".xctest") }
    for place in [tests] + bundles {
      let beside = URL(fileURLWithPath: place).deletingLastPathComponent()
        .appendingPathComponent("MainQueueFixture").path
      if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    }
    return "MainQueueFixture"
  }
}
