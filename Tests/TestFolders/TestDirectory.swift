// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Directories of a test's own.
package enum TestDirectory {
  /// Runs the body with a fresh directory, removed afterwards.
  package static func with(_ body: (String) throws -> Void) throws {
    let random = UInt64.random(in: .min ... .max)
    let path = "/tmp/bench-tests-\(getpid())-\(String(random, radix: 36))"
    // SAFETY: the string lives for the call; its pointer is not kept.
    guard unsafe mkdir(path, 0o777) == 0 else {
      fatalError("TestDirectory: \(path): errno \(errno); expected a new directory")
    }
    defer { removeTree(path) }
    try body(path)
  }

  /// What lies in the directory, sorted.
  package static func names(in path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
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

  private static func removeTree(_ path: String) {
    for name in names(in: path) {
      let child = path + "/" + name
      // A link to a directory is a link, whatever it leads to.
      // SAFETY: the string lives for the call; its pointer is not kept.
      if unsafe unlink(child) != 0 { removeTree(child) }
    }
    // SAFETY: the string lives for the call; its pointer is not kept.
    _ = unsafe rmdir(path)
  }
}
