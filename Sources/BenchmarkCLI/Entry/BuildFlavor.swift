// SPDX-License-Identifier: Apache-2.0

internal import Results

/// What kind of build is measured, as far as it spoils figures.
enum BuildFlavor {
  /// Refuses a build whose figures mean nothing, unless the user insists.
  static func refuse(
    _ name: String = "this build", unless allowed: Bool, flags: Set<QualityFlag>
  ) throws(ToolFailure) {
    guard !flags.isEmpty, !allowed else { return }
    throw .usage(
      name, "it is a \(flags.text) build, whose figures mean nothing",
      expected: "a release build",
      next: "run `swift run -c release bench`, or insist with --allow-debug")
  }
}
