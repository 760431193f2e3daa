// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Writes files that are either absent or complete under their name, whatever happens meanwhile.
///
/// Only regular files are written or replaced: a link is followed, and a device, a FIFO or a
/// directory is refused whatever the caller wants. Any thread; two writers of the same name without
/// `overwrite` cannot both succeed.
package enum AtomicFile {
  /// The start of every temporary name; what a killed process leaves behind begins with it.
  package static let temporaryPrefix = ".bench-"

  /// A file that is complete under a temporary name.
  private struct Staged {
    let temporary: String
    let destination: String
    /// As the caller named it.
    let path: String
  }

  /// Where the bytes for `path` go: the path itself when the name is free, else the file that it
  /// leads to.
  ///
  /// Throws for whatever cannot be written under this name. The one judgement of a place, before
  /// measuring and after.
  package static func destination(of path: String, overwrite: Bool) throws(FileError) -> String {
    // What these names lead to is open already; a file of that name in its place would be lost.
    guard !["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path), !path.hasPrefix("/dev/fd/")
    else {
      throw FileError(path: path, step: "open", reason: .notRegular("an open stream"))
    }
    guard !path.hasSuffix("/") else {
      throw FileError(path: path, step: "open", errorNumber: EISDIR)
    }
    let kind = try File.kind(path)
    switch kind {
    case .absent: return path
    case .regular:
      guard overwrite else { throw FileError(path: path, step: "open", errorNumber: EEXIST) }
      do throws(FileError) { return try File.resolved(path) } catch { throw error.about(path) }
    case .directory, .other: throw FileError(path: path, step: "open", found: kind)
    }
  }

  /// Makes sure that a file can be written under `path`: writes a small one beside it and removes
  /// that, and opens the one that would be replaced.
  package static func rehearse(_ path: String, overwrite: Bool) throws(FileError) {
    let block = [UInt8](repeating: 0, count: 4096)
    let staged = try stage(block, for: path, overwrite: overwrite)
    File.remove(staged.temporary)
    guard File.exists(staged.destination) else { return }
    do throws(FileError) {
      File.close(try File.open(staged.destination, O_WRONLY | O_CLOEXEC | O_NONBLOCK))
    } catch { throw error.about(path) }
  }

  /// Writes the bytes to a temporary file in the same directory, syncs it, gives it its name
  /// without replacing another file unless told to, and syncs the directory.
  ///
  /// Throws without a trace under `path`; the temporary file is removed then. Should only the last
  /// sync fail, the complete file stays.
  package static func write(
    _ bytes: [UInt8], to path: String, overwrite: Bool
  ) throws(FileError) {
    try write([(path, bytes)], overwrite: overwrite)
  }

  /// Writes several files, of which none gets its name before all are complete.
  ///
  /// Throws without a trace of any, except that a file that was replaced before the failure stays
  /// replaced.
  package static func write(
    _ files: [(path: String, bytes: [UInt8])], overwrite: Bool
  ) throws(FileError) {
    var staged: [Staged] = []
    var named: [String] = []
    do throws(FileError) {
      for file in files {
        staged.append(try stage(file.bytes, for: file.path, overwrite: overwrite))
      }
      while let file = staged.first {
        do throws(FileError) {
          try File.rename(file.temporary, to: file.destination, replacing: overwrite)
        } catch { throw error.about(file.path) }
        named.append(staged.removeFirst().destination)
      }
    } catch {
      for file in staged { File.remove(file.temporary) }
      if !overwrite { for path in named { File.remove(path) } }
      throw error
    }
    for directory in Set(named.map(File.directory)) {
      let descriptor = try File.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { File.close(descriptor) }
      try File.synchronize(descriptor, path: directory)
    }
  }

  private static func stage(
    _ bytes: [UInt8], for path: String, overwrite: Bool
  ) throws(FileError) -> Staged {
    let destination = try destination(of: path, overwrite: overwrite)
    let random = String(UInt64.random(in: .min ... .max), radix: 36)
    let temporary = "\(File.directory(of: destination))/\(temporaryPrefix)\(random).tmp"
    do throws(FileError) {
      let descriptor = try File.open(
        temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode: 0o666)
      do throws(FileError) {
        defer { File.close(descriptor) }
        try File.write(bytes, to: descriptor, path: path)
        try File.synchronize(descriptor, path: path)
      } catch {
        File.remove(temporary)
        throw error
      }
    } catch {
      // The user asked for `path` and has never heard of the temporary name.
      throw error.about(path)
    }
    return Staged(temporary: temporary, destination: destination, path: path)
  }
}
