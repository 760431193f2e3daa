// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
package import Results

/// What kind of build this process is, as far as it spoils figures.
package enum BuildFlavor {
  /// True in a build without optimisation.
  package static var isDebug: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  /// What every figure of this build must carry; empty for a release build.
  package static var flags: Set<QualityFlag> {
    var flags: Set<QualityFlag> = isDebug ? [.debug] : []
    if shim_sanitizer() != 0 { flags.insert(.sanitized) }
    return flags
  }

  /// Refuses a build whose figures mean nothing, unless the user insists.
  static func refuse(unless allowed: Bool, flags: Set<QualityFlag>) throws(ToolFailure) {
    guard !flags.isEmpty, !allowed else { return }
    throw .usage(
      "this build", "it is a \(flags.text) build, whose figures mean nothing",
      expected: "a release build",
      next: "run `swift run -c release bench`, or insist with --allow-debug")
  }
}
