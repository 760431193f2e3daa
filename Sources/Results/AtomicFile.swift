// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Writes files that are either absent or complete under their name, whatever happens meanwhile.
///
/// Any thread; two writers of the same name without `overwrite` cannot both succeed.
package enum AtomicFile {
  /// The start of every temporary name; what a killed process leaves behind begins with it.
  package static let temporaryPrefix = ".bench-"

  /// Writes the bytes to a temporary file in the same directory, syncs it, gives it its name without
  /// replacing another file unless told to, and syncs the directory.
  ///
  /// Throws without a trace under `path`; the temporary file is removed then. Should only the last
  /// sync fail, the complete file stays.
  package static func write(
    _ bytes: [UInt8], to path: String, overwrite: Bool
  ) throws(FileError) {
    if File.isDirectory(path) {
      throw FileError(path: path, step: "open", errorNumber: EISDIR)
    }
    // Asked here only to save the work; the rename below is what decides.
    if !overwrite && File.exists(path) {
      throw FileError(path: path, step: "open", errorNumber: EEXIST)
    }
    let directory = File.directory(of: path)
    let random = UInt64.random(in: .min ... .max)
    let temporary = "\(directory)/\(temporaryPrefix)\(String(random, radix: 36)).tmp"
    do throws(FileError) {
      try writeAndSync(bytes, temporary: temporary, path: path)
      try File.rename(temporary, to: path, replacing: overwrite)
    } catch {
      File.remove(temporary)
      throw error
    }
    let descriptor = try File.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { File.close(descriptor) }
    try File.synchronize(descriptor, path: directory)
  }

  private static func writeAndSync(
    _ bytes: [UInt8], temporary: String, path: String
  ) throws(FileError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
    let descriptor: Int32
    do throws(FileError) {
      descriptor = try File.open(temporary, flags, mode: 0o666)
    } catch {
      // The user asked for `path` and has never heard of the temporary name.
      throw error.about(path)
    }
    defer { File.close(descriptor) }
    try File.write(bytes, to: descriptor, path: path)
    try File.synchronize(descriptor, path: path)
  }
}
