// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The system calls on files that this room needs, each with values in and values out.
///
/// The only file of the room with pointers. Calls interrupted by a signal are repeated. Any thread.
package enum File {
  /// Most bytes that a file read whole may have; a results file of a million rows has a quarter.
  package static let mostBytes = 1 << 30

  /// Reads a whole regular file.
  ///
  /// Throws for anything else, since a device may never end and a FIFO may never begin.
  package static func read(_ path: String) throws(FileError) -> [UInt8] {
    try readToEnd(of: try OpenFile(path))
  }

  /// Reads what comes on standard input until its end.
  package static func readStandardInput() throws(FileError) -> [UInt8] {
    try readToEnd(of: .standardInput)
  }

  /// A regular file piece by piece.
  ///
  /// Throws for anything else. The file is open as long as the source is kept.
  package static func source(_ path: String) throws(FileError) -> ByteSource {
    let file = try OpenFile(path)
    return ByteSource { () throws(FileError) in try file.piece(1 << 20) }
  }

  private static func readToEnd(of file: OpenFile) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = try file.piece(1 << 16)
      if piece.isEmpty { return bytes }
      bytes += piece
      guard bytes.count <= mostBytes else {
        throw FileError(path: file.path, step: "read", errorNumber: EFBIG)
      }
    }
  }

  /// A file that is read from its start to its end; closed with its last reference.
  private final class OpenFile {
    let path: String
    private let descriptor: Int32
    private let isOwned: Bool

    /// Standard input of this process.
    static var standardInput: OpenFile { OpenFile("standard input", 0, isOwned: false) }

    private init(_ path: String, _ descriptor: Int32, isOwned: Bool) {
      self.path = path
      self.descriptor = descriptor
      self.isOwned = isOwned
    }

    /// Opens a regular file.
    convenience init(_ path: String) throws(FileError) {
      // Opening a FIFO would wait for its writer.
      let descriptor = try File.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      self.init(path, descriptor, isOwned: true)
      var status = stat()
      // SAFETY: the pointer lives for the call and is not kept.
      guard call(.status, { unsafe Int(fstat(descriptor, &status)) }) == 0 else {
        throw FileError(path: path, step: "status", errorNumber: errno)
      }
      let kind = Kind(mode: status.st_mode)
      guard kind == .regular else { throw FileError(path: path, step: "read", found: kind) }
    }

    deinit { if isOwned { File.close(descriptor) } }

    /// At most so many of the bytes that follow; none at the end.
    func piece(_ most: Int) throws(FileError) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: most)
      let count = call(.read, most) { most in
        // SAFETY: the buffer is the whole array, which has `most` bytes or more.
        unsafe bytes.withUnsafeMutableBytes { buffer in
          unsafe Glibc.read(descriptor, buffer.baseAddress, most)
        }
      }
      guard count >= 0 else { throw FileError(path: path, step: "read", errorNumber: errno) }
      bytes.removeLast(most - count)
      return bytes
    }
  }

  /// Makes a directory and those above it; no error when it exists.
  package static func makeDirectories(_ path: String) throws(FileError) {
    if isDirectory(path) { return }
    let parent = directory(of: path)
    if parent != path { try makeDirectories(parent) }
    // SAFETY: the string lives for the call; its pointer is not kept.
    if call(.makeDirectory, { unsafe Int(mkdir(path, 0o777)) }) == 0 { return }
    let error = FileError(path: path, step: "make directory", errorNumber: errno)
    guard error.reason == .alreadyExists else { throw error }
    // Something has the name: a directory by now, or what a message must name.
    switch try kind(path) {
    case .directory: return
    case .absent: throw error
    case .regular, .other: throw FileError(path: path, step: "open", errorNumber: ENOTDIR)
    }
  }

  /// What lies under the path, links followed.
  ///
  /// Throws when that cannot be told, as for a link that leads nowhere or a name that is too long.
  package static func kind(_ path: String) throws(FileError) -> Kind {
    var status = stat()
    // SAFETY: both pointers live for the call and are not kept.
    if call(.status, { unsafe Int(stat(path, &status)) }) == 0 {
      return Kind(mode: status.st_mode)
    }
    let number = errno
    guard number == ENOENT else { throw FileError(path: path, step: "status", errorNumber: number) }
    guard exists(path) else { return .absent }
    throw FileError(path: path, step: "status", reason: .danglingLink)
  }

  /// The path without links, of something that exists.
  static func resolved(_ path: String) throws(FileError) -> String {
    // SAFETY: the string lives for the call, and the result is freed after it is copied.
    guard let resolved = unsafe realpath(path, nil) else {
      throw FileError(path: path, step: "resolve", errorNumber: errno)
    }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
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
    let descriptor = call(.open) { unsafe Int(Glibc.open(path, flags, mode)) }
    guard descriptor >= 0 else { throw FileError(path: path, step: "open", errorNumber: errno) }
    return Int32(descriptor)
  }

  /// Writes all bytes.
  static func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let count = call(.write, bytes.count - written) { most in
        // SAFETY: the buffer is the rest of the array, from `written` to its end, or less of it.
        unsafe bytes.withUnsafeBytes { buffer in
          unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), most)
        }
      }
      // No progress is no success either: it would be tried for ever.
      guard count > 0 else {
        throw FileError(path: path, step: "write", errorNumber: count < 0 ? errno : EIO)
      }
      written += count
    }
  }

  static func synchronize(_ descriptor: Int32, path: String) throws(FileError) {
    guard call(.synchronize, { Int(fsync(descriptor)) }) == 0 else {
      throw FileError(path: path, step: "fsync", errorNumber: errno)
    }
  }

  /// Gives the file its final name; without `replacing`, fails when that name is taken.
  static func rename(
    _ temporary: String, to path: String, replacing: Bool
  ) throws(FileError) {
    guard !replacing else {
      // SAFETY: the strings live for the call; their pointers are not kept.
      guard call(.rename, { unsafe Int(Glibc.rename(temporary, path)) }) == 0 else {
        throw FileError(path: path, step: "rename", errorNumber: errno)
      }
      return
    }
    // A second name and then removing the first: rename(2) would replace whatever appeared under
    // the name meanwhile, and link(2) never does.
    // SAFETY: the strings live for the call; their pointers are not kept.
    guard call(.link, { unsafe Int(link(temporary, path)) }) == 0 else {
      throw FileError(path: path, step: "link", errorNumber: errno)
    }
    remove(temporary)
  }

  /// What lies in a folder, sorted, without `.` and `..`; nothing when there is no such folder.
  package static func names(in folder: String) throws(FileError) -> [String] {
    // SAFETY: the string lives for the call; what is opened is closed.
    guard let directory = unsafe opendir(folder) else {
      let number = errno
      guard number == ENOENT else {
        throw FileError(path: folder, step: "open", errorNumber: number)
      }
      return []
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      // SAFETY: the kernel ends the name with a zero byte inside the entry.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Removes a file that is there.
  package static func delete(_ path: String) throws(FileError) {
    // SAFETY: the string lives for the call; its pointer is not kept.
    guard unsafe unlink(path) == 0 else {
      throw FileError(path: path, step: "remove", errorNumber: errno)
    }
  }

  /// Removes a file; no error when that fails.
  package static func remove(_ path: String) {
    // SAFETY: the string lives for the call; its pointer is not kept.
    _ = unsafe unlink(path)
  }

  static func close(_ descriptor: Int32) {
    // Not repeated after a signal: on Linux the descriptor is gone either way.
    _ = Glibc.close(descriptor)
  }

  /// The C library's text for an error number.
  static func errorText(_ number: Int32) -> String {
    // SAFETY: strerror returns a terminated string, also for a number that it does not know.
    guard let text = unsafe strerror(number) else { return "system error" }
    return unsafe String(cString: text)
  }
}
