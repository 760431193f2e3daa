// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A system call on files, as this room makes them.
package enum FileCall: Sendable {
  case open, status, read, write, synchronize, rename, link, makeDirectory, lock
}

/// How a test lets a call go.
package enum FileCallAnswer: Sendable {
  /// As the system has it.
  case asIs
  /// It is not made and fails with that error number; EINTR is repeated, as a real one is.
  case failure(Int32)
  /// It reads or writes that many bytes at most.
  case atMost(Int)
}

extension File {
  /// Asked before every call of this room when a test has set it; nil in every other program.
  @TaskLocal package static var fault: (@Sendable (FileCall) -> FileCallAnswer)?

  /// Makes a call until no signal interrupts it; the result, -1 with `errno` when it failed.
  ///
  /// - Parameters:
  ///   - count: bytes to read or write, handed to `make`.
  ///   - make: the call itself.
  static func call(_ call: FileCall, _ count: Int, _ make: (Int) -> Int) -> Int {
    while true {
      var most = count
      switch fault?(call) ?? .asIs {
      case .asIs: break
      case .atMost(let bytes): most = min(count, bytes)
      case .failure(let number):
        if number == EINTR { continue }
        errno = number
        return -1
      }
      let result = make(most)
      if result >= 0 || errno != EINTR { return result }
    }
  }

  /// The same for a call that counts no bytes.
  static func call(_ call: FileCall, _ make: () -> Int) -> Int {
    self.call(call, 0) { _ in make() }
  }
}

extension File {
  /// What lies under a path.
  package enum Kind: Hashable, Sendable {
    case absent, regular, directory
    /// Something that is no place for figures; what, in words.
    case other(String)

    init(mode: mode_t) {
      switch mode & S_IFMT {
      case S_IFREG: self = .regular
      case S_IFDIR: self = .directory
      case S_IFCHR: self = .other("a character device")
      case S_IFBLK: self = .other("a block device")
      case S_IFIFO: self = .other("a FIFO")
      case S_IFSOCK: self = .other("a socket")
      default: self = .other("neither a file nor a directory")
      }
    }
  }
}
