// SPDX-License-Identifier: Apache-2.0

import Glibc

@testable import Results

/// Directories of a test's own.
enum TestDirectory {
  /// Runs the body with a fresh directory, removed afterwards.
  static func with(_ body: (String) throws -> Void) throws {
    let random = UInt64.random(in: .min ... .max)
    let path = "/tmp/results-tests-\(getpid())-\(String(random, radix: 36))"
    try File.makeDirectories(path)
    defer { removeTree(path) }
    try body(path)
  }

  private static func removeTree(_ path: String) {
    for name in names(in: path) {
      let child = path + "/" + name
      // What cannot be told, such as a loop of links, is no directory.
      if File.isDirectory(child) { removeTree(child) } else { File.remove(child) }
    }
    _ = unsafe rmdir(path)
  }

  static func names(in path: String) -> [String] {
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
}
