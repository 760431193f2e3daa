// SPDX-License-Identifier: Apache-2.0

/// Bytes that come piece by piece, so that nobody has to hold a large file whole.
package struct ByteSource {
  private let next: () throws(FileError) -> [UInt8]

  /// The pieces that a call gives one after the other, an empty one at their end.
  init(_ next: @escaping () throws(FileError) -> [UInt8]) { self.next = next }

  /// All in one piece, from memory.
  package init(_ bytes: [UInt8]) {
    var rest = bytes
    self.init { () throws(FileError) in
      defer { rest = [] }
      return rest
    }
  }

  /// A piece that was taken already, and what follows it.
  init(_ first: [UInt8], then rest: ByteSource) {
    var isFirst = true
    self.init { () throws(FileError) in
      guard isFirst, !first.isEmpty else { return try rest.piece() }
      isFirst = false
      return first
    }
  }

  /// The next piece; empty at the end, and whenever asked again.
  func piece() throws(FileError) -> [UInt8] { try next() }
}

/// Why rows could not be read from a source.
package enum ReadingError: Error, Sendable, Hashable {
  /// The bytes did not come.
  case file(FileError)
  /// They are no sound results file.
  case content(CSVError)

  /// What is wrong with bytes from memory, which always come.
  var content: CSVError {
    switch self {
    case .content(let error): error
    case .file(let error): fatalError("ByteSource: \(error) from memory; a bug there")
    }
  }
}
