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
    /// Anything else, by its error number.
    case other(Int32)
  }

  /// The path that the operation was about.
  package let path: String
  /// What was being done, such as `open` or `rename`.
  package let step: String
  package let reason: Reason

  private init(path: String, step: String, reason: Reason) {
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
      default: .other(errorNumber)
      }
    self.init(path: path, step: step, reason: reason)
  }

  /// The same error about another path.
  func about(_ path: String) -> FileError {
    FileError(path: path, step: step, reason: reason)
  }

  /// Place, finding, expectation and next step, on one line.
  package var description: String {
    let (finding, expectation, nextStep) = message
    return "\(path): \(finding) (\(step)); expected \(expectation); \(nextStep)"
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
    case .other(let number):
      ("system error \(number)", "the call to succeed", "look up the number in errno(3)")
    }
  }
}
