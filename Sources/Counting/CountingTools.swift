// SPDX-License-Identifier: Apache-2.0

package import Measurement

/// The programs that counting needs besides this one.
package struct CountingTools: Sendable, Hashable {
  /// Path of valgrind.
  package let valgrind: String
  /// Its version, such as `3.19.0`.
  package let version: String

  /// Why one cannot be used.
  package struct Missing: Error, Hashable {
    package let failure: ProgramFailure
    /// The Debian package that has it.
    package let package: String
  }

  /// Looks for them in PATH, and tries them.
  package static func locate() throws(Missing) -> CountingTools {
    let said = try ask("valgrind", of: "valgrind").firstLine
    guard said.hasPrefix("valgrind-") else {
      let failure = ProgramFailure("valgrind --version", .ended(code: 0, said: said))
      throw Missing(failure: failure, package: "valgrind")
    }
    _ = try ask("strip", of: "binutils")
    return CountingTools(
      valgrind: ExternalProgram.run(["sh", "-c", "command -v valgrind"]).firstLine,
      version: String(said.dropFirst("valgrind-".count)))
  }

  /// Asks a program of a Debian package which version it is.
  private static func ask(
    _ program: String, of package: String
  ) throws(Missing) -> ExternalProgram.Outcome {
    let words = [program, "--version"]
    let outcome = ExternalProgram.run(words)
    if let failure = outcome.failure(of: words) {
      throw Missing(failure: failure, package: package)
    }
    return outcome
  }

  /// Copies an executable without its debug information, which valgrind would read for minutes and
  /// does not need: the names of functions stay.
  ///
  /// - Returns: what went wrong; nil when nothing did.
  package static func strip(_ executable: String, to path: String) -> String? {
    let outcome = ExternalProgram.run(["strip", "-g", "-o", path, executable])
    guard outcome.code != 0 else { return nil }
    let said = outcome.transcript.split(separator: "\n").last.map(String.init)
    return said ?? "strip ended with \(outcome.code)"
  }
}
