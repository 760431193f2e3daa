// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A package of a user, written beside a link to this package.
///
/// The folder lies in the build folder, under a name that does not change, so that only what
/// changed is compiled the next time.
struct UserPackage {
  /// What went wrong outside the claims under test.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// What a command left.
  struct Outcome {
    let status: Int32
    let output: String
    let errors: String
  }

  /// The root of this package.
  static let suiteRoot = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static let folder = suiteRoot.appending(path: ".build/user-packages")

  /// Holds the package; programs run in it.
  let root: URL
  /// Holds what was built.
  private let scratch: URL

  /// Writes the package afresh; `files` maps paths inside it to contents.
  ///
  /// - Parameter keepsBuild: keeps what a plain `swift build` made in it.
  init(name: String, keepsBuild: Bool = false, files: [String: String]) throws {
    root = Self.folder.appending(path: name)
    scratch = Self.folder.appending(path: "build-\(name)")
    let manager = FileManager.default
    try manager.createDirectory(at: root, withIntermediateDirectories: true)
    for name in try manager.contentsOfDirectory(atPath: root.path())
    where !(keepsBuild && name == ".build") {
      try manager.removeItem(at: root.appending(path: name))
    }
    let link = Self.folder.appending(path: "scheduler-bench")
    if !manager.fileExists(atPath: link.path()) {
      try manager.createSymbolicLink(at: link, withDestinationURL: Self.suiteRoot)
    }
    for (path, text) in files { try write(path, text) }
  }

  /// Writes a file of the package.
  func write(_ path: String, _ text: String) throws {
    let file = root.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  /// Builds the programs of the package as for release, all unless the options name one.
  ///
  /// Nothing is optimised: our rooms are compiled in a third of the processor time.
  func build(_ options: String...) throws {
    try swift("build", ["-c", "release", "-Xswiftc", "-Onone"] + options)
  }

  /// Reads the manifest and finds every product that it names.
  func resolve() throws { try swift("package", ["show-dependencies"]) }

  private func swift(_ verb: String, _ arguments: [String]) throws {
    let command = ["swift", verb, "--scratch-path", scratch.path()] + arguments
    let outcome = try call(command)
    guard outcome.status == 0 else {
      throw Failure(
        description: "\(command.joined(separator: " ")) ended with \(outcome.status):\n"
          + "\(outcome.output)\n\(outcome.errors)")
    }
  }

  /// Runs a program of the package in its folder, without input, and waits for it.
  func run(_ product: String, _ arguments: [String] = []) throws -> Outcome {
    try run(scratch.appending(path: "release").appending(path: product), arguments)
  }

  /// Runs a command in its folder, without input, and waits for it.
  func call(_ command: [String]) throws -> Outcome {
    try run(URL(filePath: "/usr/bin/env"), command)
  }

  private func run(_ program: URL, _ arguments: [String]) throws -> Outcome {
    // Files instead of pipes: a full pipe that nobody reads would block the program.
    let output = root.appending(path: "stdout.txt")
    let errors = root.appending(path: "stderr.txt")
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = root
    // It would leave this package without products for the user's.
    var environment = ProcessInfo.processInfo.environment
    environment["BENCH_TEST_TARGETS"] = nil
    environment["BENCH_ALLOW_DEBUG"] = "1"
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try emptyFile(output)
    process.standardError = try emptyFile(errors)
    try process.run()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus,
      output: try String(contentsOf: output, encoding: .utf8),
      errors: try String(contentsOf: errors, encoding: .utf8))
  }

  private func emptyFile(_ url: URL) throws -> FileHandle {
    try Data().write(to: url)
    return try FileHandle(forWritingTo: url)
  }
}

/// A page of the documentation and the code that it shows.
struct Page {
  private let path: String
  private let lines: [Substring]

  /// Reads the page, which lies at a path below the root of this package.
  init(_ path: String) throws {
    self.path = path
    lines = try String(contentsOf: UserPackage.suiteRoot.appending(path: path), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// How many blocks of Swift the page has.
  var blocks: Int { lines.count { $0 == "```swift" } }

  /// The block of Swift that follows the first line equal to `line`.
  func block(after line: String) throws -> String {
    guard let start = lines.firstIndex(where: { $0 == line }),
      let open = lines[start...].firstIndex(where: { $0.hasPrefix("```") }),
      lines[open] == "```swift", let close = lines[(open + 1)...].firstIndex(of: "```")
    else {
      throw UserPackage.Failure(
        description: "\(path): no block of Swift after the line '\(line)'; this test builds it")
    }
    return lines[(open + 1)..<close].joined(separator: "\n") + "\n"
  }
}
