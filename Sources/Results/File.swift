// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The system calls on files that this room needs, each with values in and values out.
///
/// The only file of the room with pointers. Calls interrupted by a signal are repeated. Any thread.
package enum File {
  /// Reads a whole file.
  package static func read(_ path: String) throws(FileError) -> [UInt8] {
    let descriptor = try open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    let chunk = 1 << 16
    while true {
      let start = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: chunk))
      let count = retrying {
        // SAFETY: the buffer is `chunk` bytes from `start` to the end of the array.
        unsafe bytes.withUnsafeMutableBytes { buffer in
          unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: start), chunk)
        }
      }
      guard count >= 0 else { throw FileError(path: path, step: "read", errorNumber: errno) }
      bytes.removeLast(chunk - count)
      if count == 0 { return bytes }
    }
  }

  /// Makes a directory and those above it; no error when it exists.
  package static func makeDirectories(_ path: String) throws(FileError) {
    if isDirectory(path) { return }
    let parent = directory(of: path)
    if parent != path { try makeDirectories(parent) }
    // SAFETY: the string lives for the call; its pointer is not kept.
    guard unsafe mkdir(path, 0o777) == 0 || (errno == EEXIST && isDirectory(path)) else {
      throw FileError(path: path, step: "make directory", errorNumber: errno)
    }
  }

  /// Whether the path leads to a directory.
  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    // SAFETY: both pointers live for the call and are not kept.
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether anything lies under the path, a dangling link included.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    // SAFETY: both pointers live for the call and are not kept.
    return unsafe lstat(path, &status) == 0
  }

  /// The directory that holds the path, `.` for a bare name.
  package static func directory(of path: String) -> String {
    let trimmed = path.utf8.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    guard let slash = trimmed.lastIndex(of: "/") else { return trimmed.isEmpty ? "/" : "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }

  static func open(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(FileError) -> Int32 {
    // SAFETY: the string lives for the call; its pointer is not kept.
    let descriptor = retrying { unsafe Int(Glibc.open(path, flags, mode)) }
    guard descriptor >= 0 else { throw FileError(path: path, step: "open", errorNumber: errno) }
    return Int32(descriptor)
  }

  /// Writes all bytes.
  static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let count = retrying {
        // SAFETY: the buffer is the rest of the array, from `written` to its end.
        unsafe bytes.withUnsafeBytes { buffer in
          unsafe Glibc.write(
            descriptor, buffer.baseAddress?.advanced(by: written), bytes.count - written)
        }
      }
      guard count >= 0 else { throw FileError(path: path, step: "write", errorNumber: errno) }
      written += count
    }
  }

  static func synchronize(_ descriptor: Int32, path: String) throws(FileError) {
    guard retrying({ Int(fsync(descriptor)) }) == 0 else {
      throw FileError(path: path, step: "fsync", errorNumber: errno)
    }
  }

  /// Gives the file its final name; without `replacing`, fails when that name is taken.
  static func rename(
    _ temporary: String, to path: String, replacing: Bool
  ) throws(FileError) {
    guard !replacing else {
      // SAFETY: the strings live for the call; their pointers are not kept.
      guard unsafe Glibc.rename(temporary, path) == 0 else {
        throw FileError(path: path, step: "rename", errorNumber: errno)
      }
      return
    }
    // A second name and then removing the first: rename(2) would replace whatever appeared under
    // the name meanwhile, and link(2) never does.
    // SAFETY: the strings live for the call; their pointers are not kept.
    guard unsafe link(temporary, path) == 0 else {
      throw FileError(path: path, step: "link", errorNumber: errno)
    }
    remove(temporary)
  }

  /// Removes a file; no error when that fails.
  static func remove(_ path: String) {
    // SAFETY: the string lives for the call; its pointer is not kept.
    _ = unsafe unlink(path)
  }

  static func close(_ descriptor: Int32) {
    // Not repeated after a signal: on Linux the descriptor is gone either way.
    _ = Glibc.close(descriptor)
  }

  private static func retrying(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }
}
