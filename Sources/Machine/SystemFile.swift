// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// Reads the small text files in which Linux tells about itself.
package enum SystemFile {
  /// The beginning of a file as text, at most `limit` bytes; nil when it cannot be read.
  package static func text(_ path: String, limit: Int = 65_536) -> String? {
    var bytes = [UInt8](repeating: 0, count: limit)
    // SAFETY: the array has room for `limit` bytes and both arguments live through the call.
    let count = unsafe shim_read_file(path, &bytes, UInt64(limit))
    guard count >= 0 else { return nil }
    return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
  }

  /// The file's first line without the line feed; nil when it cannot be read or is empty.
  package static func line(_ path: String) -> String? {
    guard let text = text(path, limit: 4096) else { return nil }
    let line = text.prefix { $0 != "\n" }
    return line.isEmpty ? nil : String(line)
  }

  /// The file's first line as a number; nil when it is none.
  package static func number(_ path: String) -> Int64? { line(path).flatMap { Int64($0) } }

  /// True when the file exists and this process may read it.
  package static func isReadable(_ path: String) -> Bool {
    // SAFETY: the path lives through the call.
    unsafe shim_can_read(path) == 1
  }
}

/// Reads the variables that the process was started with.
package enum EnvironmentVariable {
  /// The variable's value; nil when it is not set.
  ///
  /// Any thread, as long as nobody changes the environment.
  package static func value(of name: String) -> String? {
    // SAFETY: getenv returns null or a terminated string that lives until the variable is changed.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}
