// SPDX-License-Identifier: Apache-2.0

package import Harness

/// Finds the library that gives a child its allocator.
///
/// Searched when a child is started, not when the package is built, so that a binary works wherever
/// it is copied:
/// 1. the path in `BENCH_JEMALLOC`, taken as it is; when it cannot be read there is no library;
/// 2. `libjemalloc.so.2` in the folders of the distribution's package, then of a local
///    installation.
///
/// Nothing is opened here: the process that asks must not have the library itself. The child proves
/// what it got.
package enum JemallocLibrary {
  /// The variable that names another library.
  package static let variable = "BENCH_JEMALLOC"
  /// The file that is looked for.
  package static let fileName = "libjemalloc.so.2"
  /// The Debian package to install when there is none.
  package static let debianPackage = "libjemalloc-dev"

  /// Folders in the order in which they are searched.
  package static var folders: [String] {
    [
      "/usr/lib/\(machine)-linux-gnu", "/lib/\(machine)-linux-gnu", "/usr/lib64", "/lib64",
      "/usr/lib", "/lib", "/usr/local/lib/\(machine)-linux-gnu", "/usr/local/lib64",
      "/usr/local/lib",
    ]
  }

  /// The library's path, or why there is none.
  package static func locate(_ files: SystemFiles = .ofThisMachine)
    -> Result<String, WorkloadError>
  {
    if let path = EnvironmentVariable.value(of: variable), !path.isEmpty {
      guard files.isReadable(path), !path.contains(where: { $0 == ":" || $0 == " " }) else {
        return .failure(
          WorkloadError(
            message: "\(variable)=\(path): cannot be preloaded; expected the path of a readable "
              + "\(fileName) without spaces and colons"))
      }
      return .success(path)
    }
    for folder in folders where files.isReadable("\(folder)/\(fileName)") {
      return .success("\(folder)/\(fileName)")
    }
    return .failure(
      WorkloadError(
        message: "no \(fileName) in \(folders.joined(separator: ", ")); install the package "
          + "\(debianPackage), name the library in \(variable), or choose --allocator system"))
  }

  /// The LD_PRELOAD of a child: what this process was started with, with exactly the allocator
  /// asked for.
  package static func preload(_ inherited: String?, library: String?) -> String {
    let others = (inherited ?? "").split(whereSeparator: { $0 == ":" || $0 == " " }).filter {
      !($0.split(separator: "/").last ?? "").hasPrefix("libjemalloc")
    }
    return ((library.map { [$0[...]] } ?? []) + others).joined(separator: ":")
  }

  private static var machine: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "aarch64"
    #elseif arch(riscv64)
      "riscv64"
    #else
      "unknown"
    #endif
  }
}

/// Which allocators this build can give its children.
package enum AllocatorSupport {
  /// True in a static build, where jemalloc is linked in and nothing can be preloaded.
  package static var isLinkedIn: Bool {
    #if BENCH_STATIC_ALLOCATOR
      true
    #else
      false
    #endif
  }

  /// Why children cannot have `allocator` in this build, or nil when they can.
  package static func refusal(of allocator: Allocator) -> String? {
    isLinkedIn && allocator == .system
      ? "this is a static build with jemalloc linked in; expected --allocator jemalloc, or a "
        + "dynamically linked build" : nil
  }
}
