// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Lets one program at a time change the files of a folder.
///
/// An advisory lock on the folder itself, so that no lock file is left behind; the kernel drops it
/// when its holder dies. Whoever only reads needs none where files are replaced whole. Any thread.
/// Source: flock(2).
package enum FolderLock {
  /// Runs the body while no other holder of this lock does, waiting for one that does.
  ///
  /// - Parameter failing: the caller's error for a folder that cannot be opened or locked.
  package static func with<Value, Failure: Error>(
    _ folder: String, failing: (FileError) -> Failure, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let descriptor: Int32
    do throws(FileError) {
      descriptor = try File.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    } catch { throw failing(error) }
    defer { File.close(descriptor) }
    guard File.call(.lock, { Int(flock(descriptor, LOCK_EX)) }) == 0 else {
      throw failing(FileError(path: folder, step: "lock", errorNumber: errno))
    }
    return try body()
  }
}
