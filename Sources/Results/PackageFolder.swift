// SPDX-License-Identifier: Apache-2.0

/// Finds the folder of the package that a file belongs to, and where its results lie.
///
/// Any thread; reads manifests, writes nothing. O(depth of the path).
package enum PackageFolder {
  /// The nearest folder at or above `start`, an absolute path, whose manifest satisfies the
  /// condition; nil when there is none.
  package static func find(above start: String, where accepts: (_ manifest: String) -> Bool)
    -> String?
  {
    var pieces = start.split(separator: "/")[...]
    while true {
      let folder = "/" + pieces.joined(separator: "/")
      let manifest = folder == "/" ? "/Package.swift" : folder + "/Package.swift"
      if File.exists(manifest), accepts(manifest) { return folder }
      if pieces.isEmpty { return nil }
      pieces.removeLast()
    }
  }

  /// The nearest folder with a manifest at or above one of the folders, the first that has one.
  package static func nearest(to folders: [String]) -> String? {
    folders.lazy.compactMap { find(above: $0, where: { _ in true }) }.first
  }

  /// The suite's own results folder when one of the folders lies in the suite's package, else
  /// `results` in the working directory; the first hit wins.
  package static func results(lookingUpFrom starts: [String]) -> String {
    for start in starts {
      if let package = find(above: start, where: isSuite) { return package + "/results" }
    }
    return "results"
  }

  private static func isSuite(_ manifest: String) -> Bool {
    guard let bytes = try? File.read(manifest) else { return false }
    return packageName(inManifest: String(decoding: bytes, as: UTF8.self)) == "scheduler-bench"
  }

  /// The name that a manifest gives its own package; nil when it does not say.
  ///
  /// That is the first argument of the first call `Package(…)`. Names of dependencies stand behind
  /// `.package(`, and what stands in a comment counts as little.
  static func packageName(inManifest text: String) -> String? {
    let code = text.replacing(/\/\*.*?\*\//.dotMatchesNewlines(), with: " ")
      .replacing(/\/\/[^\n]*/, with: " ")
    let call = /(?:^|[^\w.]|PackageDescription\.)Package\s*\(\s*name\s*:\s*"([^"\\]*)"/
    return code.firstMatch(of: call).map { String($0.1) }
  }
}
