// SPDX-License-Identifier: Apache-2.0

/// Returns the directory for results, and makes it when it does not exist.
///
/// That is `results` beside the nearest `Package.swift` that names the package `scheduler-bench`,
/// from `start` upwards; without one, `results` under `start` itself. Throws when the directory
/// cannot be made. `start` should be absolute, since nothing lies above a relative path.
package func findResultsDirectory(startingAt start: String) throws(FileError) -> String {
  var directory = start
  while true {
    if isOwnPackage(directory) { break }
    let parent = File.directory(of: directory)
    if parent == directory || parent == "." {
      directory = start
      break
    }
    directory = parent
  }
  let results = directory.hasSuffix("/") ? directory + "results" : directory + "/results"
  try File.makeDirectories(results)
  return results
}

/// Whether the directory holds the manifest of this package.
private func isOwnPackage(_ directory: String) -> Bool {
  guard let bytes = try? File.read(directory + "/Package.swift") else { return false }
  return namesOwnPackage(String(decoding: bytes, as: UTF8.self))
}

/// Whether a manifest's `Package(` is followed by the name of this package.
///
/// A package that only depends on this one holds the name too, but behind `.package(`.
func namesOwnPackage(_ manifest: String) -> Bool {
  let squeezed = manifest.filter { !$0.isWhitespace }
  return squeezed.contains("=Package(name:\"scheduler-bench\"")
}
