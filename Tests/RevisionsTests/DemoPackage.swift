// SPDX-License-Identifier: Apache-2.0

import Foundation
import Measurement
import Revisions

/// A package of a user in a repository of its own, in a folder of its own, beside a package that it
/// depends on by path.
///
/// It is built by a script that stands in for `swift` and copies instead of compiling: it notes
/// every build in `builds`, fails where the package has a file `broken`, and waits for SIGINT where
/// it has a file `endless`.
struct DemoPackage {
  /// Holds everything.
  let folder: String
  /// The package below the root of the repository; empty for the root.
  let prefix: String

  /// The root of the repository.
  var repository: String { folder + "/mine" }
  /// The folder of the manifest.
  var root: String { prefix.isEmpty ? repository : "\(repository)/\(prefix)" }
  /// What stands in for `swift`.
  var swift: String { folder + "/swift" }
  var package: MeasuredPackage { MeasuredPackage(folder: root, product: "demo") }
  var cache: String { root + "/.build/revisions" }
  /// How many builds there were.
  var builds: Int { lines(of: folder + "/builds").count }
  /// Working trees that git knows.
  var worktrees: [String] { git("worktree", "list").split(separator: "\n").map(String.init) }

  /// Runs the body with a package of one commit whose program prints `one`.
  static func with(prefix: String = "", _ body: (DemoPackage) throws -> Void) throws {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("revisions-\(UUID().uuidString)").path
    defer { try? manager.removeItem(atPath: folder) }
    let demo = DemoPackage(folder: folder, prefix: prefix)
    try demo.write("Package.swift", "// demo\n")
    try demo.write(".gitignore", ".build\n")
    try demo.writeAside("other/value", "other then")
    try demo.writeAside("swift", script)
    try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: demo.swift)
    _ = demo.git("init", "--quiet", "--initial-branch", "main")
    try demo.commit("one")
    try body(demo)
  }

  /// A builder; `events` gets what it tells.
  func builder(interrupt: InterruptFlag? = nil, events: Events = Events()) -> RevisionBuilder {
    RevisionBuilder(package, swift: swift, interrupt: interrupt, observe: { events.add($0) })
  }

  /// Writes a file of the package.
  func write(_ path: String, _ text: String) throws { try Self.write("\(root)/\(path)", text) }

  /// Writes a file outside the repository.
  func writeAside(_ path: String, _ text: String) throws {
    try Self.write("\(folder)/\(path)", text)
  }

  /// Commits everything, with a program that prints the word.
  func commit(_ word: String) throws {
    try write("word", word)
    _ = git("add", "--all")
    _ = git("commit", "--quiet", "--message", word)
  }

  /// What git answers.
  @discardableResult func git(_ words: String...) -> String {
    ExternalProgram.run(
      ["git", "-C", repository, "-c", "user.name=demo", "-c", "user.email=demo@example.org"]
        + words,
      environment: Git.environment
    ).output
  }

  /// What a built program prints.
  func say(_ built: BuiltRevision) -> String { ExternalProgram.run([built.executable]).output }

  /// What lies in the cache.
  var cached: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: cache)) ?? []).sorted()
  }

  private func lines(of path: String) -> [Substring] {
    ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
  }

  private static func write(_ path: String, _ text: String) throws {
    let file = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  private static let script = """
    #!/bin/sh
    here=$(dirname "$0")
    if [ "$1" = --version ]; then echo 'Swift version 9.8.7 (demo)'; exit; fi
    while [ $# -gt 0 ]; do
      case $1 in
        --product) product=$2 ;;
        --package-path) package=$2 ;;
        --scratch-path) scratch=$2 ;;
      esac
      shift
    done
    echo "$package" >>"$here/builds"
    if [ -e "$package/broken" ]; then
      echo "[1/2] Compiling" && echo "$package/Mine.swift:7:3: error: no such thing" && exit 1
    fi
    if [ -e "$package/endless" ]; then
      echo $$ >"$here/pid" && exec sleep 600
    fi
    mkdir -p "$scratch/release/demo_demo.resources"
    value=$(cat "$package/../other/value" 2>/dev/null)
    printf '#!/bin/sh\\necho "%s %s"\\n' "$(cat "$package/word")" "$value" >"$scratch/release/$product"
    chmod +x "$scratch/release/$product"
    [ -z "$value" ] || printf '"state" : { "name" : "fileSystem", "path" : "%s" }' \\
      "$(dirname "$package")\\/other" >"$scratch/workspace-state.json"
    """
}

/// What a builder has told, from any thread.
final class Events: @unchecked Sendable {
  private let lock = NSLock()
  private var told: [RevisionEvent] = []

  var all: [RevisionEvent] { lock.withLock { told } }

  func add(_ event: RevisionEvent) { lock.withLock { told.append(event) } }
}
