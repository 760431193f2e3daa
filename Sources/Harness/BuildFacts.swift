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

  /// The compiler's version, as exact as a program can ask for it.
  package static var swiftVersion: String {
    #if compiler(>=6.5)
      "6.5 or later"
    #elseif compiler(>=6.4)
      "6.4"
    #elseif compiler(>=6.3.4)
      "6.3.4 or later"
    #elseif compiler(>=6.3.3)
      "6.3.3"
    #elseif compiler(>=6.3.2)
      "6.3.2"
    #elseif compiler(>=6.3.1)
      "6.3.1"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }
}
