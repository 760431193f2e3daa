// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims

/// Where the instructions of an operation are, or where they went: one function per entry, the
/// largest change first.
package struct FunctionChanges: Sendable, Hashable {
  /// Instructions of one function per operation, without those of functions that it calls.
  package struct Entry: Sendable, Hashable {
    /// As people read it.
    package let name: String
    /// Before the change; nil when there is nothing to compare with.
    package let before: Double?
    /// After it.
    package let after: Double

    /// After less before, or all of it.
    package var change: Double { after - (before ?? 0) }
  }

  /// Every function whose instructions differ, or that has some where there is nothing to compare
  /// with.
  package let entries: [Entry]

  /// Instructions per operation below which nothing is said.
  private static let least = 0.05

  /// The changes between two counts; nil for what is there after a change alone.
  package init(before: [String: Double]?, after: [String: Double]) {
    let earlier = before.map(Self.readable)
    let later = Self.readable(after)
    let names = Set(later.keys).union(earlier.map { Set($0.keys) } ?? [])
    entries =
      names
      .map { name in
        Entry(name: name, before: earlier.map { $0[name] ?? 0 }, after: later[name] ?? 0)
      }
      .filter { abs($0.change) >= Self.least }
      .sorted { (abs($1.change), $0.name) < (abs($0.change), $1.name) }
  }

  private static func readable(_ functions: [String: Double]) -> [String: Double] {
    functions.reduce(into: [:]) { $0[readable($1.key), default: 0] += $1.value }
  }

  /// The name of a Swift symbol as people read it; any other as it is.
  package static func readable(_ symbol: String) -> String {
    var text = [CChar](repeating: 0, count: 1024)
    // SAFETY: the array has room for `count` characters, which the call terminates.
    unsafe shim_demangle(symbol, &text, UInt64(text.count))
    let name = String(
      decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty ? symbol : name
  }
}
