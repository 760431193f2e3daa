// SPDX-License-Identifier: Apache-2.0

internal import Measurement
internal import Results

/// Packages on which a built one depends by path, outside its repository.
///
/// A commit does not say what they are like, so an executable is as good as new only while they are
/// as they were when it was built.
enum LocalDependencies {
  /// The folders of such packages that a build has found.
  ///
  /// - Parameters:
  ///   - scratch: the build's scratch folder.
  ///   - mirror: the mirror in which it was built; its paths become those of the originals.
  ///   - tree: the working tree in the mirror, whose own packages belong to the commit.
  static func folders(scratch: String, mirror: String, tree: String) -> [String] {
    guard let bytes = try? File.read("\(scratch)/workspace-state.json") else { return [] }
    let state = /"state"\s*:\s*\{\s*"name"\s*:\s*"fileSystem"\s*,\s*"path"\s*:\s*"([^"]*)"/
    let found = String(decoding: bytes, as: UTF8.self).matches(of: state)
      .map { String($0.1).replacing("\\/", with: "/") }
      .filter { $0 != tree && !$0.hasPrefix(tree + "/") }
      .map { $0.hasPrefix(mirror + "/") ? String($0.dropFirst(mirror.count)) : $0 }
    return Set(found).sorted()
  }

  /// A hash of names and contents of what belongs to a package.
  ///
  /// That is what git tracks or would add, or all but hidden files where there is no repository.
  /// O(bytes).
  static func fingerprint(of folder: String) -> String {
    let listed = Git(folder: folder)
      .run(
        ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "."], limit: .max)
    let paths =
      listed.code == 0
      ? listed.output
      : ExternalProgram.run(
        ["find", folder, "-type", "f", "-not", "-path", "*/.*", "-printf", "%P\\0"], limit: .max
      )
      .output
    var bytes: [UInt8] = []
    for path in Set(paths.split(separator: "\0")).sorted() {
      bytes += Array(path.utf8) + [0]
      // What cannot be read is not built from either.
      let content = (try? File.read("\(folder)/\(path)")) ?? []
      bytes += Array(hexadecimal(fnv1a(content)).utf8)
    }
    return hexadecimal(fnv1a(bytes))
  }
}
