// SPDX-License-Identifier: Apache-2.0

package import Results

/// A build of the program that measures: this one, or one of another revision.
package struct MeasuredProgram: Sendable, Hashable {
  /// What the user calls it.
  package let name: String
  /// Its path.
  package let executable: String
  /// Which code it is; nil for that of this program.
  package let code: CodeIdentity?

  package init(name: String, executable: String, code: CodeIdentity?) {
    self.name = name
    self.executable = executable
    self.code = code
  }

  /// This program.
  package static let own = MeasuredProgram(
    name: "this build", executable: ExecutablePath.running, code: nil)
}
