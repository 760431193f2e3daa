// SPDX-License-Identifier: Apache-2.0

internal import Results

/// The file that names the commit every new point is measured against.
enum PinnedReference {
  static let fileName = "reference"

  /// Reads the commit: the one line that is no comment (`#`).
  ///
  /// Throws when there is no such file, or it names no commit in full.
  static func read(_ path: String) throws(HistoryFailure) -> String {
    let pin = "pin one, such as `git rev-parse HEAD >\(path)`"
    guard File.exists(path) else {
      throw .refused(path, "no such file", "a file with the commit to measure against", pin)
    }
    let bytes: [UInt8]
    do throws(FileError) { bytes = try File.read(path) } catch { throw .reading(error) }
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init).enumerated()
      .filter { !$0.element.isEmpty && !$0.element.hasPrefix("#") }
    guard let first = lines.first else {
      throw .refused(path, "no commit in it", "one line of 40 hexadecimal digits", pin)
    }
    let wrong = lines.first { !isHexadecimal($0.element, digits: 40) } ?? lines.dropFirst().first
    if let wrong {
      throw .malformed(
        Finding(
          path: path, line: wrong.offset + 1, finding: quoted(wrong.element),
          expectation: "one commit, in 40 hexadecimal digits; comments begin with #",
          nextStep: pin))
    }
    return first.element
  }
}
