// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Names of Objective-C and of Swift's first versions, given to the compiler.
@Suite struct OldSpellingTests {
  private func buildFolder() throws -> URL {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let bundles = CommandLine.arguments.filter { $0.contains(".xctest") }
    let places = ([own] + bundles).map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
    return try #require(
      places.first {
        FileManager.default.fileExists(
          atPath: $0.appendingPathComponent("Modules/Operations.swiftmodule").path)
      }, "Operations.swiftmodule is not beside the tests")
  }

  /// What the compiler says of a program.
  private func compile(_ program: String) throws -> (code: Int32, says: String) {
    let build = try buildFolder()
    let source = FileManager.default.temporaryDirectory
      .appendingPathComponent("old-spelling-\(UUID().uuidString).swift")
    try ("import Operations\n" + program).write(to: source, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: source) }
    let shims = build.appendingPathComponent("CSystemShims.build/module.modulemap").path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "swiftc", "-typecheck", "-swift-version", "6", "-I",
      build.appendingPathComponent("Modules").path, "-Xcc", "-fmodule-map-file=\(shims)",
      source.path,
    ]
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  @Test func theCompilerNamesTodaysSpelling() throws {
    let old: [(line: String, today: String)] = [
      ("let a: NSOperation? = nil", "'Operation'"),
      ("let b: NSOperationQueue? = nil", "'OperationQueue'"),
      ("let c = NSBlockOperation {}", "'BlockOperation'"),
      ("let d: NSQualityOfService = .utility", "'QualityOfService'"),
      ("let e = Operation.QueuePriority.VeryHigh", "'veryHigh'"),
      ("let f = operation.finished", "'isFinished'"),
      ("if operation.cancelled {}", "'isCancelled'"),
      ("_ = operation.ready", "'isReady'"),
      ("_ = operation.executing", "'isExecuting'"),
      ("_ = operation.concurrent", "'isAsynchronous'"),
      ("queue.suspended = true", "'isSuspended'"),
      ("queue.addOperationWithBlock {}", "'addOperation(_:)'"),
      ("_ = OperationQueue.mainQueue()", "'main'"),
      ("operation.queuePriority = .Low", "'low'"),
      ("let g = NSInvocationOperation()", "use ResultOperation"),
      ("_ = NSOperationQueueDefaultMaxConcurrentOperationCount", "'OperationQueue.defaultMax"),
    ]
    let body = old.map(\.line).joined(separator: "\n  ")
    let (code, says) = try compile(
      "func old(_ operation: Operation, _ queue: OperationQueue) {\n  \(body)\n}\n")
    #expect(code != 0)
    // Line 1 imports, line 2 begins the function.
    for (place, entry) in old.enumerated() {
      let errors = says.split(separator: "\n").filter {
        $0.contains(".swift:\(place + 3):") && $0.contains("error:")
      }
      #expect(
        errors.contains { $0.contains(entry.today) }, "\(entry.line): \(errors)")
    }
  }

  /// The program of today, and a subclass that has properties with the old names.
  @Test func todaysSpellingsAndOwnPropertiesCompile() throws {
    let (code, says) = try compile(
      """
      final class Own: Operation, @unchecked Sendable {
        private var finished = false
        private var executing = false
        override func start() { finished = true; executing = !finished }
      }
      func today(_ operation: Operation) async {
        await operation.finished()
        async let end: Void = operation.finished()
        if operation.isFinished { await end }
      }
      """)
    #expect(code == 0, "\(says)")
  }
}
