// SPDX-License-Identifier: Apache-2.0

internal import Measurement

/// The programs that counting needs besides this one.
package struct CountingTools: Sendable, Hashable {
  /// Path of valgrind.
  package let valgrind: String
  /// Its version, such as `3.19.0`.
  package let version: String

  /// Why one is not there.
  package struct Missing: Error, Hashable {
    /// What was looked for.
    package let program: String
    /// The Debian package that has it.
    package let package: String
  }

  /// Looks for them in PATH.
  package static func locate() throws(Missing) -> CountingTools {
    let path = ExternalProgram.run(["sh", "-c", "command -v valgrind"]).firstLine
    let version = path.isEmpty ? "" : ExternalProgram.run([path, "--version"]).firstLine
    guard version.hasPrefix("valgrind-") else {
      throw Missing(program: "valgrind", package: "valgrind")
    }
    guard ExternalProgram.run(["strip", "--version"]).code == 0 else {
      throw Missing(program: "strip", package: "binutils")
    }
    return CountingTools(valgrind: path, version: String(version.dropFirst("valgrind-".count)))
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
