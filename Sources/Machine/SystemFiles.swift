// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc
internal import Harness

/// The small text files in which Linux tells about itself: those of this machine, or made-up ones
/// of a machine that a test thinks of.
///
/// Every file that says what the machine is or does is read through it. Any thread.
package struct SystemFiles: Sendable {
  /// What asking for a file gave.
  package enum Answer: Hashable, Sendable {
    /// The file's beginning.
    case text(String)
    /// There is no such file: this machine has nothing of the kind.
    case absent
    /// The file is there and the kernel refuses it, with this error number.
    case refused(Int32)
  }

  /// Answers for a path and the most bytes that are wanted.
  private let answer: @Sendable (_ path: String, _ limit: Int) -> Answer

  /// The files of this machine.
  package static let ofThisMachine = SystemFiles { path, limit in
    var bytes = [UInt8](repeating: 0, count: limit)
    // SAFETY: the array has room for `limit` bytes and both arguments live through the call.
    let count = unsafe shim_read_file(path, &bytes, UInt64(limit))
    if count >= 0 { return .text(String(decoding: bytes.prefix(Int(count)), as: UTF8.self)) }
    let error = Int32(-count)
    // ENODEV and ENXIO: the file is a stub for hardware that is not there.
    return [ENOENT, ENOTDIR, ENODEV, ENXIO].contains(error) ? .absent : .refused(error)
  }

  /// Files that give these texts; every other is absent, but for those that are refused.
  package static func madeUp(_ texts: [String: String], refused: [String: Int32] = [:])
    -> SystemFiles
  {
    SystemFiles { path, limit in
      if let error = refused[path] { return .refused(error) }
      return texts[path].map { .text(String(decoding: $0.utf8.prefix(limit), as: UTF8.self)) }
        ?? .absent
    }
  }

  /// The beginning of a file as text, at most `limit` bytes; nil when it cannot be read.
  package func text(_ path: String, limit: Int = 65_536) -> String? {
    if case .text(let text) = answer(path, limit) { text } else { nil }
  }

  /// The file's first line without the line feed; nil when it cannot be read or is empty.
  package func line(_ path: String) -> String? {
    guard let text = text(path, limit: 4096) else { return nil }
    let line = text.prefix { $0 != "\n" }
    return line.isEmpty ? nil : String(line)
  }

  /// The file's first line as a number; nil when it is none.
  package func number(_ path: String) -> Int64? { line(path).flatMap { Int64($0) } }

  /// True when the file exists and this process may read it.
  package func isReadable(_ path: String) -> Bool { text(path, limit: 1) != nil }

  /// True when the file is there, whether or not this process may read it.
  package func exists(_ path: String) -> Bool { answer(path, 1) != .absent }

  /// The first of the files that is there and refused, and why; nil when all are absent or read.
  package func refusal(of paths: [String]) -> String? {
    for path in paths {
      if case .refused(let error) = answer(path, 1) { return "\(path): \(errorText(error))" }
    }
    return nil
  }
}
