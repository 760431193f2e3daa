// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
internal import Measurement
internal import TaskGraphFiles

/// A command line of GNU make.
///
/// Before the build, make says what its targets wait for (`MakeDatabase`). During it, this program
/// stands in for the shell of recipes and notes when each line begins and ends (`RecipeFolder`).
package struct MakeCommand: Sendable {
  private let words: [String]

  init(_ words: [String]) throws(RecordingFailure) {
    self.words = words
    for word in words.dropFirst() {
      let variable = word.prefix { !":+?=".contains($0) }
      if ["SHELL", ".SHELLFLAGS"].contains(variable), variable.count < word.count {
        throw RecordingFailure(
          .command, place: word, finding: "the recording sets this variable itself",
          expectation: "a make with the shell that its makefile names",
          nextStep: "leave it out, or set it in the makefile")
      }
      if ["-n", "--just-print", "--dry-run", "--recon", "-q", "--question", "-t", "--touch"]
        .contains(word)
      {
        throw RecordingFailure(
          .command, place: "make \(word)", finding: "with this option make runs no recipe",
          expectation: "a build", nextStep: "leave it out")
      }
    }
  }

  var name: String { workingFolder.split(separator: "/").last.map(String.init) ?? "make" }

  private static let install = "install it, as with `apt-get install make`, or name its path"

  func record() throws(RecordingFailure) -> RecordedBuild {
    let database = MakeDatabase(try ask(["-pnk"]))
    let shell = try shell(database)
    let folder = try RecipeFolder(shell: shell.path)
    let code = try Foreground.run(
      [words[0], "SHELL=\(folder.shell)", ".SHELLFLAGS=\(SHIM_RECIPE_MARK) '$@' \(shell.flags)"]
        + words.dropFirst(),
      environment: folder.environment(shell: shell.path), install: Self.install)
    do throws(TaskGraphError) {
      let graph = try MakeReader.read(
        try folder.records(), database: database, name: name, path: "make", folder: workingFolder)
      if let graph { return RecordedBuild(code: code, graph: .success(graph)) }
    } catch { return RecordedBuild(code: code, graph: .failure(RecordingFailure(error))) }
    return RecordedBuild(
      code: code,
      graph: .failure(
        RecordingFailure(
          .nothing, place: "make", finding: "it ran no recipe", expectation: "one at least",
          nextStep: "have something to build, as after `make clean`")))
  }

  /// What make prints with these options before its own, whether or not it finds fault with
  /// something: the build says that, too.
  ///
  /// Makes of several jobs would mix what they print.
  private func ask(
    _ options: [String], goals: [String] = []
  ) throws(RecordingFailure) -> String {
    let arguments = Array(words.dropFirst())
    let outcome = ExternalProgram.run(
      [words[0]] + options + arguments + goals + (arguments.contains("--") ? [] : ["-j1"]),
      environment: ["LC_ALL=C"], limit: .max)
    if let error = outcome.startError {
      throw Foreground.notStarted(words[0], error: error, install: Self.install)
    }
    return outcome.output
  }

  /// The shell that recipes have, and its options.
  private func shell(
    _ database: MakeDatabase
  ) throws(RecordingFailure) -> (path: String, flags: String) {
    guard database.count > 0 else {
      throw RecordingFailure(
        .input, place: words[0], finding: "it prints no database with `-pn`",
        expectation: "GNU make",
        nextStep: "see what `\(words[0]) -pn` says, and name GNU make")
    }
    if let other = database.otherShells.first {
      throw RecordingFailure(
        .command, place: other.place,
        finding: "recipes have the shell `\(other.shell)` there, and "
          + "`\(database.shell) \(database.shellFlags)` elsewhere",
        expectation: "one shell for every recipe, which the recording stands in for",
        nextStep: "record a target that is built with one shell")
    }
    var (shell, flags) = (database.shell, database.shellFlags)
    if (shell + flags).contains("$") {
      // Written in terms of other variables, which only make can look up.
      let mark = "recipe-shell"
      let rule = "\(mark):;@\(mark) |$(SHELL)|$(.SHELLFLAGS)|"
      let answer = try ask(["-n", "--eval=\(rule)"], goals: [mark])
      let line = answer.split(separator: "\n").last { $0.hasPrefix("\(mark) |") }
      let parts = line?.split(separator: "|", omittingEmptySubsequences: false) ?? []
      if parts.count == 4 { (shell, flags) = (String(parts[1]), String(parts[2])) }
    }
    guard let path = Self.executable(shell) else {
      throw RecordingFailure(
        .system, place: "SHELL", finding: "`\(shell)` is no program that can be started",
        expectation: "the path of a shell in the makefile", nextStep: "see `make -pn | grep SHELL`")
    }
    return (path, flags.isEmpty ? "-c" : flags)
  }

  /// The path of a program, looked up in `PATH` when it has no folder.
  private static func executable(_ name: String) -> String? {
    // SAFETY: the strings live through the calls.
    if name.contains("/") { return unsafe access(name, X_OK) == 0 ? name : nil }
    guard !name.isEmpty, let path = unsafe getenv("PATH") else { return nil }
    // SAFETY: nothing changes the environment meanwhile.
    return unsafe String(cString: path).split(separator: ":").map { "\($0)/\(name)" }
      .first { unsafe access($0, X_OK) == 0 }
  }

  /// The folder that the outermost make runs in.
  private var workingFolder: String {
    // SAFETY: the C library's own memory is copied and freed.
    guard let memory = unsafe getcwd(nil, 0) else { return "" }
    defer { unsafe free(memory) }
    var folder = unsafe String(cString: memory)
    for (word, next) in zip(words.dropFirst(), words.dropFirst(2) + [""]) {
      var change: String?
      if word == "-C" { change = next }
      if word.hasPrefix("-C"), word.count > 2 { change = String(word.dropFirst(2)) }
      if word.hasPrefix("--directory=") { change = String(word.dropFirst(12)) }
      guard let change else { continue }
      folder = change.hasPrefix("/") ? change : "\(folder)/\(change)"
    }
    // SAFETY: as above.
    guard let resolved = unsafe realpath(folder, nil) else { return folder }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
