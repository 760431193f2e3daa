// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What the compiler says to the author of a scheduler who makes a job of a word, or runs one,
/// without saying `unsafe`.
@Suite struct UnsafeMembersTests {
  /// The folder of the modules that this test was built with.
  static let modules: URL? = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let bundles = CommandLine.arguments.filter { $0.contains(".xctest") }
    return ([own] + bundles).map { URL(fileURLWithPath: $0).deletingLastPathComponent() }.first {
      FileManager.default.fileExists(atPath: $0.path + "/Modules/Scheduling.swiftmodule")
    }
  }()

  /// The compiler's findings about a function that has a job and a context.
  private func findings(_ statement: String) throws -> String {
    let folder = try #require(Self.modules)
    let file = FileManager.default.temporaryDirectory
      .appending(path: "unsafe-members-\(UUID().uuidString).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    let source = """
      import Scheduling
      func probe(_ job: Job, _ context: inout WorkerContext) { \(statement) }
      """
    try source.write(to: file, atomically: true, encoding: .utf8)
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "swiftc", "-typecheck", "-swift-version", "6", "-strict-memory-safety",
      "-warnings-as-errors", "-I", folder.path + "/Modules", "-Xcc",
      "-fmodule-map-file=" + folder.path + "/CSystemShims.build/module.modulemap", file.path,
    ]
    process.standardError = errors
    try process.run()
    let told = String(
      decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect((process.terminationStatus == 0) == told.isEmpty, "\(told)")
    return told
  }

  @Test(
    .enabled(if: modules != nil, "the modules do not lie beside the tests"),
    arguments: [
      "_ = Job(unsafeWord: 4096)", "_ = job.run(in: &context)",
      "context.runToCompletion(job) { _ in }",
    ])
  func theCallerMustSayUnsafe(_ call: String) throws {
    #expect(try findings(call).contains("unsafe constructs but is not marked with 'unsafe'"))
    let marked = call.hasPrefix("_ = ") ? "_ = unsafe " + call.dropFirst(4) : "unsafe " + call
    #expect(try findings(marked) == "")
  }

  @Test(.enabled(if: modules != nil, "the modules do not lie beside the tests"))
  func aWordIsNoJobByAnyOtherName() throws {
    #expect(try findings("_ = Job(word: 4096)").contains("error:"))
  }
}
