// SPDX-License-Identifier: Apache-2.0

internal import TaskGraphFiles

/// A command line of ninja.
package struct NinjaCommand: Sendable {
  private let words: [String]
  /// The folder of the build with a slash at its end; empty for the present one.
  let folder: String
  /// The manifest, as ninja looks for it.
  let manifest: String

  init(_ words: [String]) throws(RecordingFailure) {
    self.words = words
    var folder = ""
    var manifest = "build.ninja"
    var rest = words.dropFirst()
    while let word = rest.popFirst(), word != "--" {
      guard word.hasPrefix("-"), !word.hasPrefix("--") else {
        if ["--version", "--help"].contains(word) { throw Self.buildsNothing(word) }
        continue
      }
      // Short options may stand together, the last of them with its value behind it.
      var letters = word.dropFirst()
      while let letter = letters.popFirst() {
        if "nth".contains(letter) { throw Self.buildsNothing("-\(letter)") }
        guard "Cfjkldw".contains(letter) else { continue }
        let value = letters.isEmpty ? rest.popFirst() : String(letters)
        if letter == "C", let value { folder = value.hasSuffix("/") ? value : value + "/" }
        if letter == "f", let value { manifest = value }
        break
      }
    }
    self.folder = folder
    self.manifest = manifest.hasPrefix("/") ? manifest : folder + manifest
  }

  var name: String { TaskGraphFile.names(of: manifest).last ?? "ninja" }

  private static func buildsNothing(_ option: String) -> RecordingFailure {
    RecordingFailure(
      .command, place: "ninja \(option)", finding: "with this option ninja builds nothing",
      expectation: "a build", nextStep: "leave it out")
  }

  func record() throws(RecordingFailure) -> RecordedBuild {
    // Without a manifest the log is empty for us, and ninja says what it thinks of that.
    let before = (try? NinjaBuild(manifest: manifest, in: folder).log()) ?? []
    let code = try Foreground.run(
      words, install: "install it, as with `apt-get install ninja-build`, or name its path")
    return RecordedBuild(code: code, graph: graph(since: before))
  }

  private func graph(since before: [UInt8]) -> Result<TaskGraph, RecordingFailure> {
    do throws(TaskGraphError) {
      let build = try NinjaBuild(manifest: manifest, in: folder)
      guard let graph = try build.graph(since: before) else {
        return .failure(
          RecordingFailure(
            .nothing, place: build.logPath, finding: "ninja ran nothing to its end",
            expectation: "one build statement at least",
            nextStep: "have something to build, as after `ninja -t clean`"))
      }
      return .success(graph)
    } catch { return .failure(RecordingFailure(error)) }
  }
}
