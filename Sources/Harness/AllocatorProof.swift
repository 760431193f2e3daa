// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Finds out which allocator serves the process it runs in.
package enum AllocatorProof {
  /// What was found, by looking for jemalloc in the process and watching one allocation move its
  /// counter.
  package enum Finding: Hashable, Sendable, CustomStringConvertible {
    /// jemalloc serves malloc.
    case jemalloc(version: String, threadCache: Bool)
    /// jemalloc is in the process, but something else serves malloc.
    case bypassed(version: String)
    /// No jemalloc; the C library's name and version.
    case system(String)

    /// Name and version, for the figures' record.
    package var description: String {
      switch self {
      case .jemalloc(let version, let cache):
        "jemalloc \(version) tcache:\(cache ? "on" : "off")"
      case .bypassed(let version): "unknown (jemalloc \(version) is loaded but bypassed)"
      case .system(let library): library
      }
    }
  }

  /// Looks at this process.
  package static func examine() -> Finding {
    var text = [CChar](repeating: 0, count: 128)
    // SAFETY: the array has room for `count` characters, which the call terminates.
    switch unsafe shim_jemalloc(&text, UInt64(text.count)) {
    case 0:
      // SAFETY: as above.
      unsafe shim_c_library(&text, UInt64(text.count))
      return .system(string(text))
    case 1:
      return .jemalloc(version: string(text), threadCache: shim_jemalloc_thread_cache() == 1)
    default: return .bypassed(version: string(text))
    }
  }

  /// Proves that this process has `wanted`: name and version, or the failure of the measurement.
  package static func prove(_ wanted: Allocator) -> Result<String, ChildFailure> {
    let finding = examine()
    switch (wanted, finding) {
    case (.jemalloc, .jemalloc), (.system, .system): return .success(finding.description)
    default:
      return .failure(
        .unavailable(
          "allocator",
          "the child's allocator is \(finding); expected \(wanted); "
            + "a sanitizer or another LD_PRELOAD in the way brings its own allocator"))
    }
  }

  private static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
