// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// How this program was built, as far as a program can know.
package enum BuildFacts {
  /// Sanitizers that change every figure.
  package enum Sanitizer: String, Sendable {
    /// Memory errors.
    case address
    /// Data races.
    case thread
  }

  /// True for a build without optimisation: no figure of it means anything.
  package static var isDebug: Bool { _isDebugAssertConfiguration() }

  /// The sanitizer built in; nil for none.
  package static var sanitizer: Sanitizer? {
    switch shim_sanitizer() {
    case 1: .address
    case 2: .thread
    default: nil
    }
  }

  /// `-O` or `-Onone`.
  package static var optimization: String { isDebug ? "-Onone" : "-O" }

  /// The version of the Swift standard library in use.
  package static var swiftVersion: String { "\(_SwiftStdlibVersion.current)" }
}
