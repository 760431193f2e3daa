// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Where this program lies.
package enum ExecutablePath {
  /// A path under which the running executable can be read, even when its file is gone.
  package static let running = "/proc/self/exe"

  /// The path of the running executable; nil when the kernel does not tell.
  package static var own: String? {
    // SAFETY: the result is copied before the next call.
    let path = unsafe String(cString: shim_executable_path())
    return path.isEmpty ? nil : path
  }

  /// The folder of the running executable.
  package static var folder: String? {
    own.flatMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
  }

  /// The file name of the running executable, also when its file was replaced.
  package static var name: String? {
    own.flatMap { path in
      let name = path.split(separator: "/").last.map(String.init)
      // What the kernel adds once the file is gone.
      return name.map { $0.hasSuffix(" (deleted)") ? String($0.dropLast(10)) : $0 }
    }
  }
}
