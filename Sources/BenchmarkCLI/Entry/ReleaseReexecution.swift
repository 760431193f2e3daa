// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Harness
internal import Machine
internal import Measurement
internal import Results

/// Makes `swift run bench` give release figures: a debug build builds the release one and becomes
/// it.
///
/// The executable's own name is the product's name, so that a user's package with a `bench` of its
/// own gets the same.
package enum ReleaseReexecution {
  /// Setting this variable to anything but the empty text keeps the debug build.
  package static let variable = "BENCH_NO_REEXEC"

  /// Where a debug executable lies within its package.
  struct Layout: Equatable {
    /// The folder that holds Package.swift.
    let package: String
    /// The build folder, usually `.build` of the package.
    let scratch: String
    /// Name of the executable and of its product.
    let product: String
    /// Path of the release executable.
    let release: String

    /// Reads `…/<scratch>/<triple>/debug/<product>`; nil when the path has another form or no
    /// package lies above.
    init?(executable: String, isPackage: (String) -> Bool) {
      var pieces = executable.split(separator: "/").map(String.init)
      guard pieces.count >= 4, pieces[pieces.count - 2] == "debug" else { return nil }
      let product = pieces.removeLast()
      pieces.removeLast()
      let triple = "/" + pieces.joined(separator: "/")
      let scratch = "/" + pieces.dropLast().joined(separator: "/")
      var folder = pieces.dropLast()
      while !folder.isEmpty, !isPackage("/" + folder.joined(separator: "/")) { folder.removeLast() }
      guard !folder.isEmpty else { return nil }
      package = "/" + folder.joined(separator: "/")
      self.scratch = scratch
      self.product = product
      release = "\(triple)/release/\(product)"
    }
  }

  /// Builds and becomes the release build, if this is a debug build and nobody refused.
  ///
  /// Returns when there is nothing to do; does not return on success. Call it before anything else,
  /// on the main thread.
  /// - Throws: when the release build fails or cannot be started.
  package static func becomeReleaseBuild(
    arguments: [String], environment: [String: String], console: Console
  ) throws(ToolFailure) {
    guard BuildFacts.isDebug, environment[variable, default: ""].isEmpty,
      arguments.first != measureChildVerb,
      let executable = ExecutablePath.own,
      let layout = Layout(
        executable: executable, isPackage: { File.exists("\($0)/Package.swift") })
    else { return }
    console.say(
      "bench: debug build; building and running the release build instead (\(variable)=1 stops this)"
    )
    let build = [
      "swift", "build", "--quiet", "-c", "release", "--product", layout.product, "--package-path",
      layout.package, "--scratch-path", layout.scratch,
    ]
    add(build)
    // SAFETY: the text lives through the call.
    let code = unsafe shim_run_program("swift")
    guard code == 0 else {
      throw ToolFailure(
        .internalFault, place: "release build",
        finding: "`\(build.joined(separator: " "))` ended with \(code)",
        expectation: "a release build",
        nextStep: "repair the build, or set \(variable)=1 to stay with the debug build")
    }
    add([layout.release] + arguments)
    // SAFETY: the text lives through the call.
    let error = unsafe shim_execute(layout.release)
    throw ToolFailure(
      .internalFault, place: layout.release, finding: "cannot be started (errno \(error))",
      expectation: "the release build", nextStep: "run `swift run -c release \(layout.product)`")
  }

  private static func add(_ arguments: [String]) {
    for argument in arguments {
      // SAFETY: the text lives through the call, which copies it.
      guard unsafe shim_add_argument(argument) == 0 else { fatalError("bench: out of memory") }
    }
  }
}
