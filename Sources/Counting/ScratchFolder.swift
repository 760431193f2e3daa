// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Machine
package import Results

/// A folder for files that nobody needs afterwards; gone with the value that it belongs to.
///
/// Not for several threads at once.
package final class ScratchFolder {
  /// The folder's path.
  package let path: String
  private var files: [String] = []

  /// Makes a folder with a name of its own in `TMPDIR`, or in `/tmp`.
  package init() throws(FileError) {
    let parent = EnvironmentVariable.value(of: "TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    path = "\(parent)/bench-counts-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    try File.makeDirectories(path)
  }

  deinit {
    for file in files { File.remove(file) }
    // SAFETY: the path lives through the call. A folder that somebody else put a file into stays.
    _ = unsafe rmdir(path)
  }

  /// The path of a file of that name, which is removed with the folder.
  package func file(_ name: String) -> String {
    let file = "\(path)/\(name)"
    if !files.contains(file) { files.append(file) }
    return file
  }
}
