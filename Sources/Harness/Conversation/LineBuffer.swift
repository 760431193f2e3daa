// SPDX-License-Identifier: Apache-2.0

/// Cuts a stream of bytes into lines, whatever the portions in which it comes.
package struct LineBuffer: Sendable {
  /// A line longer than this is none.
  package static let longestLine = 1 << 20

  private var bytes: [UInt8] = []
  /// Where the first line that was not taken yet begins.
  private var start = 0
  /// Up to here there is no line feed behind `start`.
  private var searched = 0

  package init() {}

  /// Adds what has come.
  package mutating func append(_ more: some Sequence<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      searched -= start
      start = 0
    }
    bytes.append(contentsOf: more)
  }

  /// The next whole line without its line feed; nil until there is one.
  ///
  /// - Throws: when what is there is too long for a line.
  package mutating func next() throws(MessageError) -> String? {
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = bytes.count
      guard bytes.count - start <= Self.longestLine else {
        throw MessageError("a line of more than 1 MiB", expected: "a line feed before that")
      }
      return nil
    }
    defer {
      start = end + 1
      searched = start
    }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }
}
