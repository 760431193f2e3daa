// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Machine
internal import Measurement

/// The program in whose children the tests measure; built beside the tests.
enum Fixture {
  static var path: String {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let folder = URL(fileURLWithPath: tests).deletingLastPathComponent()
    let beside = folder.appendingPathComponent("MeasureChildFixture").path
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    // Some test runners load the tests into a program of their own and name the bundle in an
    // argument.
    for argument in CommandLine.arguments where argument.contains(".xctest") {
      let path = URL(fileURLWithPath: argument).deletingLastPathComponent()
        .appendingPathComponent("MeasureChildFixture").path
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    return beside
  }

  static func assignment(_ workload: String, scheduler: String = "immediate") -> Assignment {
    Assignment(
      subject: .workload(workload), system: .scheduler(scheduler), workers: 1,
      parameters: Parameters(["n": 10]), warmups: 1, minimumIterations: 3, seed: 1)
  }

  static func run(
    _ assignment: Assignment, deadline: Duration = .seconds(30), allocator: Allocator = .system,
    interrupt: InterruptFlag? = nil
  ) -> MeasurementOutcome {
    ChildRunner(executable: path, interrupt: interrupt)
      .run(assignment, deadline: deadline, allocator: allocator)
  }

  /// Runs the program with these arguments and more variables; its exit code and what it wrote.
  static func start(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> (code: Int32, output: String, errors: String) {
    let process = Process()
    let output = Pipe()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let written = try output.fileHandleForReading.readToEnd() ?? Data()
    let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (
      process.terminationStatus,
      String(decoding: written, as: UTF8.self).trimmingCharacters(in: .newlines),
      String(decoding: complaints, as: UTF8.self)
    )
  }

  /// A path in the temporary folder that nothing else uses.
  static func temporaryPath() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("harness-\(UUID())").path
  }
}

/// Waits until `condition` holds or `limit` has passed; returns whether it held.
func eventually(within limit: Duration = .seconds(20), _ condition: () -> Bool) -> Bool {
  let end = ContinuousClock.now + limit
  while ContinuousClock.now < end {
    if condition() { return true }
    sched_yield()
  }
  return condition()
}

/// True when no process of that id runs; one that only waits to be reaped by somebody else does not
/// run.
func isGone(_ pid: Int32) -> Bool {
  guard let stat = SystemFiles.ofThisMachine.text("/proc/\(pid)/stat") else { return true }
  let state = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].dropFirst(2).first
  return state == "Z" || state == "X"
}
