// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
internal import Harness
internal import Measurement
internal import TaskGraphFiles

/// The shell that notes when recipe lines begin and end, and its log; gone with the value.
///
/// The shell is a link to this program under the name of the shell that it stands for, since make
/// looks at that name. `shim_become_recipe_shell` is what it does.
final class RecipeFolder {
  /// The path of the recipe shell.
  let shell: String
  private let folder: String
  private let log: String

  init(shell name: String) throws(RecordingFailure) {
    // SAFETY: nothing changes the environment meanwhile.
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
    let place = parent.isEmpty ? "/tmp" : parent
    guard place.allSatisfy({ $0.isLetter || $0.isNumber || "/._-+@".contains($0) }) else {
      throw RecordingFailure(
        .system, place: "TMPDIR", finding: "`\(place)` has characters that make takes apart",
        expectation: "a folder of letters, digits and /._-+@", nextStep: "set TMPDIR to another one"
      )
    }
    var template = Array("\(place)/bench-record-XXXXXX".utf8CString)
    // SAFETY: the array lives through the call, which writes into it and keeps its zero byte.
    guard unsafe mkdtemp(&template) != nil else {
      throw Self.failure(place, errno)
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    shell = "\(folder)/\(name.split(separator: "/").last ?? "sh")"
    log = "\(folder)/recipes"
    // SAFETY: the strings live through the calls.
    let file = unsafe open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0, close(file) == 0 else { throw Self.failure(log, errno) }
    guard unsafe symlink(ExecutablePath.own ?? ExecutablePath.running, shell) == 0 else {
      throw Self.failure(shell, errno)
    }
  }

  deinit {
    // SAFETY: the strings live through the calls.
    _ = unsafe unlink(log)
    _ = unsafe unlink(shell)
    _ = unsafe rmdir(folder)
  }

  private static func failure(_ path: String, _ error: Int32) -> RecordingFailure {
    RecordingFailure(
      .system, place: path, finding: "the log of recipes cannot be made: \(errorText(error))",
      expectation: "a folder for temporary files", nextStep: "set TMPDIR to one")
  }

  /// What the recipe shell has to know.
  func environment(shell replaced: String) -> [(name: String, value: String)] {
    [
      (SHIM_RECIPE_NAME, shell), (SHIM_RECIPE_LOG, log), (SHIM_RECIPE_SHELL, replaced),
      (SHIM_RECIPE_PARENT, ""),
    ]
  }

  /// What it has noted.
  func records() throws(TaskGraphError) -> [RecipeRecord] { try RecipeRecord.read(at: log) }
}
