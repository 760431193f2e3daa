// SPDX-License-Identifier: Apache-2.0

internal import Results

/// What kind of build this process is, as far as it spoils figures.
enum BuildFlavor {
  /// Refuses a build whose figures mean nothing, unless the user insists.
  static func refuse(unless allowed: Bool, flags: Set<QualityFlag>) throws(ToolFailure) {
    guard !flags.isEmpty, !allowed else { return }
    throw .usage(
      "this build", "it is a \(flags.text) build, whose figures mean nothing",
      expected: "a release build",
      next: "run `swift run -c release bench`, or insist with --allow-debug")
  }
}
