// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results

/// A folder in which a working tree lies under the same path as the original one under `/`, among
/// links to the original's neighbours.
///
/// `../scheduler-bench` in a manifest there leads where it leads in the original, and so does any
/// other relative path out of the repository.
enum Mirror {
  /// Makes the mirror for a working tree, and everything of it but the working tree itself.
  ///
  /// - Parameters:
  ///   - root: the folder to mirror into.
  ///   - tree: absolute path of the original working tree, without links.
  /// - Returns: where the working tree goes.
  static func make(_ root: String, for tree: String) throws(RevisionFailure) -> String {
    var (original, mirrored) = ("", root)
    for piece in tree.split(separator: "/").map(String.init) {
      do throws(FileError) { try File.makeDirectories(mirrored) } catch {
        throw .folder(error.path, error.finding)
      }
      // What lies in a folder that cannot be read is not found from here either; the build says so.
      let names = (try? File.names(in: original.isEmpty ? "/" : original)) ?? []
      for name in names where name != piece {
        let link = "\(mirrored)/\(name)"
        let error = FolderCalls.link(link, to: "\(original)/\(name)")
        guard error == 0 else { throw .folder(link, "cannot be linked: \(errorText(error))") }
      }
      original += "/" + piece
      mirrored += "/" + piece
    }
    return mirrored
  }
}
