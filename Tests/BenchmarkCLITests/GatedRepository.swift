// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measurement
import TestFolders
import Testing

/// A repository whose program is gated: a file `turns` says what an operation of it costs.
///
/// A script that stands in for `swift` copies the fixture and writes that number behind it, so that
/// a build takes no time and everything else is as it is for users.
struct GatedRepository {
  /// Holds everything.
  let folder: String
  var root: String { folder + "/mine" }
  /// The program of the working tree.
  var program: String { root + "/.build/release/mine" }
  /// Working trees that git knows.
  var worktrees: Int {
    get throws { try git("worktree", "list").split(separator: "\n").count }
  }

  /// Runs the body with a repository of one commit.
  static func with(_ body: (GatedRepository) throws -> Void) throws {
    try TestDirectory.with { folder in
      let made = GatedRepository(folder: folder)
      try made.write("Package.swift", "// mine\n")
      try made.write(".gitignore", ".build\nresults\n")
      try write("\(folder)/bin/swift", script)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: "\(folder)/bin/swift")
      try made.git("init", "--quiet", "--initial-branch", "main")
      try made.commit("first", turns: 3000)
      try body(made)
    }
  }

  /// What else a commit may be.
  enum Kind {
    case sound
    /// No build of it ends well.
    case broken
    /// A child that measures it crashes as soon as there is a file `crash` in `folder`.
    case fragile
    /// Its program has a workload more, `added`.
    case larger
  }

  /// Commits the number, and the words in a file that no build looks at.
  func commit(_ words: String, turns: Int, _ kind: Kind = .sound) throws {
    let more = kind == .fragile || kind == .larger ? " \(kind)" : ""
    try write("turns", "\(turns)\(more)")
    try write("broken", kind == .broken ? "yes" : "no")
    try write("notes", words + "\n")
    try git("add", "--all")
    try git("commit", "--quiet", "--message", words)
  }

  /// Builds the working tree, as a user does before a check.
  func build() throws {
    let outcome = ExternalProgram.run([
      "\(folder)/bin/swift", "build", "-c", "release", "--product", "mine", "--package-path", root,
      "--scratch-path", root + "/.build",
    ])
    try #require(outcome.code == 0, "\(outcome.transcript)")
  }

  /// Lets a program do nothing.
  func stub(_ program: String) throws {
    try Self.write("\(folder)/bin/\(program)", "#!/bin/sh\n")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: "\(folder)/bin/\(program)")
  }

  /// A file of the repository.
  func write(_ path: String, _ text: String) throws { try Self.write("\(root)/\(path)", text) }

  func read(_ path: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
  }

  @discardableResult func git(_ words: String...) throws -> String {
    let outcome = ExternalProgram.run(
      ["git", "-C", root, "-c", "user.name=demo", "-c", "user.email=demo@example.org"] + words,
      environment: Git.environment)
    try #require(outcome.code == 0, "\(outcome.transcript)")
    return outcome.output
  }

  /// Processes that run something of this folder, by their numbers.
  var processes: [Int] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return all.compactMap { Int($0) }.filter { id in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/exe"))?
        .hasPrefix(folder) == true
    }
  }

  /// Sees that nothing is left of what ran here: no process, worktree, lock or scratch folder.
  func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(processes.isEmpty, "\(processes)", sourceLocation: sourceLocation)
    #expect(try worktrees == 1, sourceLocation: sourceLocation)
    let names = TestDirectory.names(in: folder)
    #expect(
      !names.contains { $0.hasSuffix(".lock") || $0.hasPrefix("bench-") }, "\(names)",
      sourceLocation: sourceLocation)
    // An unfinished file has a name that begins with a dot.
    let own = [".build", ".git", ".gitignore", ".bench-limits"]
    let files = TestDirectory.names(in: root).filter { $0.hasPrefix(".") && !own.contains($0) }
    #expect(files.isEmpty, "\(files)", sourceLocation: sourceLocation)
    let revisions = TestDirectory.names(in: root + "/.build/revisions")
    #expect(
      !revisions.contains { $0.hasSuffix(".work") }, "\(revisions)", sourceLocation: sourceLocation)
  }

  private static func write(_ path: String, _ text: String) throws {
    let file = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  /// The fixture beside the tests.
  static var fixture: String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let folder = URL(filePath: own).deletingLastPathComponent()
    return folder.appending(path: "GateFixture").path
  }

  private static let script = """
    #!/bin/sh
    set -e
    if [ "$1" = --version ]; then echo 'Swift version 9.8.7 (demo)'; exit; fi
    while [ $# -gt 0 ]; do
      case $1 in
        --product) product=$2 ;;
        --package-path) package=$2 ;;
        --scratch-path) scratch=$2 ;;
      esac
      shift
    done
    : "${package:=.}" "${product:=mine}"
    : "${scratch:=$package/.build}"
    if [ "$(cat "$package/broken")" = yes ]; then
      echo "$package/Mine.swift:7:3: error: no such thing"
      exit 1
    fi
    mkdir -p "$scratch/release"
    cp '\(fixture)' "$scratch/release/$product.new"
    printf '\\nturns=%s' "$(cat "$package/turns")" >>"$scratch/release/$product.new"
    mv "$scratch/release/$product.new" "$scratch/release/$product"
    """
}

/// `bench` in a process of its own, mostly that of such a repository.
final class GateProcess {
  private let process = Process()
  private let output: URL
  private let messages: URL

  /// - Parameters:
  ///   - words: what the program is told.
  ///   - environment: further variables.
  ///   - wrapper: a command that runs the one behind it.
  convenience init(
    _ repository: GatedRepository, _ words: [String], environment: [String: String] = [:],
    wrapper: [String] = []
  ) throws {
    try self.init(
      repository.program, words, in: repository.root, scratch: repository.folder,
      environment: environment, wrapper: wrapper)
  }

  /// - Parameters:
  ///   - root: the working folder.
  ///   - scratch: the folder for temporary files, whose `bin` goes before all others.
  init(
    _ program: String, _ words: [String], in root: String, scratch: String,
    environment: [String: String] = [:], wrapper: [String] = []
  ) throws {
    let place = scratch + "/told-\(UInt64.random(in: .min ... .max))"
    output = URL(filePath: place + ".out")
    messages = URL(filePath: place + ".err")
    let command = wrapper + [program] + words
    process.executableURL = URL(filePath: command[0])
    process.arguments = Array(command.dropFirst())
    process.currentDirectoryURL = URL(filePath: root)
    var all = ProcessInfo.processInfo.environment
    // What the machine of these tests sets for itself.
    for name in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_BASE_REF"] { all[name] = nil }
    all["PATH"] = "\(scratch)/bin:" + (all["PATH"] ?? "")
    all["TMPDIR"] = scratch
    all["PWD"] = root
    process.environment = all.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    for file in [output, messages] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: messages)
    try process.run()
  }

  var out: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
  var said: String { (try? String(contentsOf: messages, encoding: .utf8)) ?? "" }
  var isRunning: Bool { process.isRunning }

  /// Waits until the condition holds while it runs.
  func wait(until condition: () -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline, isRunning {
      if condition() { return }
      usleep(2_000)
    }
    throw DidNotGetThere(said: said)
  }

  private struct DidNotGetThere: Error { let said: String }

  /// What Ctrl-C sends.
  func interrupt() { process.interrupt() }

  /// Waits for its end; its exit code.
  func end() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
