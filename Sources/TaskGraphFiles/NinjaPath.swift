// SPDX-License-Identifier: Apache-2.0

/// Brings paths to the one form in which Ninja compares and logs them.
struct NinjaPath {
  /// The canonical path made last.
  private(set) var bytes: [UInt8] = []
  private var starts: [Int] = []

  /// Drops `.` and empty components and folds `..` into the component before it.
  ///
  /// O(length).
  mutating func canonicalize(_ path: [UInt8]) {
    let slash = UInt8(ascii: "/")
    bytes.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    let isAbsolute = path.first == slash
    if isAbsolute { bytes.append(slash) }
    let root = bytes.count
    var index = 0
    while index < path.count {
      let begin = index
      while index < path.count, path[index] != slash { index += 1 }
      let component = path[begin..<index]
      index += 1
      let isDots = component.count <= 2 && component.allSatisfy { $0 == UInt8(ascii: ".") }
      if isDots, component.count <= 1 { continue }
      if isDots {
        if let start = starts.popLast() {
          bytes.removeSubrange(start...)
          continue
        }
        if isAbsolute { continue }
      } else {
        starts.append(bytes.count)
      }
      if bytes.count > root { bytes.append(slash) }
      bytes.append(contentsOf: component)
    }
    if bytes.isEmpty { bytes.append(UInt8(ascii: ".")) }
  }
}
