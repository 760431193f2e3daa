// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
internal import Harness

/// Runs a program as a shell does, with the streams of this process.
enum Foreground {
  /// Runs it to its end and returns its exit code, or 128 and the number of its signal.
  ///
  /// Main thread only. Throws when it cannot be started.
  static func run(
    _ words: [String], environment: [(name: String, value: String)] = [], install: String
  ) throws(RecordingFailure) -> Int32 {
    let text = terminated(words)
    let variables = terminated(environment.map { "\($0.name)=\($0.value)" })
    // SAFETY: both texts live through the call, as its counts say.
    let code = unsafe shim_run_in_foreground(
      text, UInt64(text.count), variables, UInt64(variables.count))
    guard code < 0 else { return code }
    throw notStarted(words[0], error: -code, install: install)
  }

  static func notStarted(_ program: String, error: Int32, install: String) -> RecordingFailure {
    guard error != ENOENT else {
      return RecordingFailure(
        .missing, place: program, finding: "there is no such program",
        expectation: "the program that builds", nextStep: install)
    }
    return RecordingFailure(
      .system, place: program, finding: "it cannot be started: \(errorText(error))",
      expectation: "a program that may be run",
      nextStep: Shortage.limit(for: error) ?? "see `ls -lL` of it, and mend its permissions")
  }

  private static func terminated(_ texts: [String]) -> [CChar] {
    texts.flatMap { Array($0.utf8) + [0] }.map(CChar.init(bitPattern:))
  }
}
