// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Why a file could not be read or written.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What stands in the way.
  package enum Reason: Sendable, Hashable {
    case alreadyExists
    case notFound
    case notPermitted
    case isDirectory
    case notDirectory
    case noSpace
    /// A device, a FIFO or a socket; which, in words.
    case notRegular(String)
    /// A link to something that does not exist.
    case danglingLink
    /// Links that lead to each other.
    case linkLoop
    case nameTooLong
    /// The file is larger than this process may write or than anything that it reads.
    case tooLarge
    /// This process, or the machine, has too many files open.
    case tooManyOpen
    case noMemory
    /// Anything else, by its error number.
    case other(Int32)
  }

  /// The path that the operation was about.
  package let path: String
  /// What was being done, such as `open` or `rename`.
  package let step: String
  package let reason: Reason

  init(path: String, step: String, reason: Reason) {
    self.path = path
    self.step = step
    self.reason = reason
  }

  init(path: String, step: String, errorNumber: Int32) {
    let reason: Reason =
      switch errorNumber {
      case EEXIST: .alreadyExists
      case ENOENT: .notFound
      case EACCES, EPERM, EROFS: .notPermitted
      case EISDIR: .isDirectory
      case ENOTDIR: .notDirectory
      case ENOSPC, EDQUOT: .noSpace
      case ELOOP: .linkLoop
      case ENAMETOOLONG: .nameTooLong
      case EFBIG: .tooLarge
      case EMFILE, ENFILE: .tooManyOpen
      case ENOMEM: .noMemory
      default: .other(errorNumber)
      }
    self.init(path: path, step: step, reason: reason)
  }

  /// Something else than a regular file was found.
  init(path: String, step: String, found: File.Kind) {
    let reason: Reason =
      switch found {
      case .other(let what): .notRegular(what)
      case .directory: .isDirectory
      case .absent: .notFound
      case .regular: .alreadyExists
      }
    self.init(path: path, step: step, reason: reason)
  }

  /// The same error about another path.
  func about(_ path: String) -> FileError {
    FileError(path: path, step: step, reason: reason)
  }

  /// A path that should lead to a directory and does not.
  package static func notDirectory(_ path: String) -> FileError {
    FileError(path: path, step: "open", errorNumber: File.exists(path) ? ENOTDIR : ENOENT)
  }

  /// What was found, and at which step.
  package var finding: String { "\(message.0) (\(step))" }
  /// What was expected instead.
  package var expectation: String { message.1 }
  /// What the user can do.
  package var nextStep: String { message.2 }

  /// Place, finding, expectation and next step, on one line.
  package var description: String {
    "\(path): \(finding); expected \(expectation); \(nextStep)"
  }

  private var message: (String, String, String) {
    switch reason {
    case .alreadyExists:
      ("the file exists", "a name that is free", "choose another name, or force overwriting")
    case .notFound:
      ("no such file or directory", "an existing file or directory", "check the path")
    case .notPermitted:
      ("no permission", "a place that this user may use", "choose another place or user")
    case .isDirectory:
      ("a directory", "a file", "name a file in it")
    case .notDirectory:
      ("a part of the path is a file", "directories up to the last part", "check the path")
    case .noSpace:
      ("no space left", "room for the file", "free some space or choose another place")
    case .notRegular(let what):
      (what, "a regular file", "name a file; `-` stands for the standard stream")
    case .danglingLink:
      ("a link to something that does not exist", "a file", "make what it leads to, or name a file")
    case .linkLoop:
      ("links that lead to each other", "a path that ends somewhere", "remove one of the links")
    case .nameTooLong:
      (
        "the name is too long", "at most 255 bytes a part, `.samples.csv` beside it included",
        "choose a shorter one"
      )
    case .tooLarge:
      (
        "the file is too large",
        "a file within the limit of this process (`ulimit -f`) and 256 MiB",
        "raise the limit with `ulimit -f unlimited`, or name another file"
      )
    case .tooManyOpen:
      (
        "too many open files", "a free file descriptor",
        "raise the limit with `ulimit -n 256`; where the machine's is reached, end other programs"
      )
    case .noMemory:
      (
        "out of memory", "memory for the file",
        "raise `ulimit -v` or the control group's memory.max"
      )
    case .other(let number):
      ("\(File.errorText(number))", "the call to succeed", "see errno \(number) in errno(3)")
    }
  }
}
