// SPDX-License-Identifier: Apache-2.0

/// Which operation of one recording is which of another of the same program.
///
/// Operations correspond when they have the same name and class, were added by corresponding
/// operations or by none, and are the same one in the order of those that are alike so far.
package struct TraceAlignment: Sendable {
  /// For each operation of the first recording the one of the second, or -1.
  package let partners: [Int32]
  /// Operations of the second that none of the first corresponds to.
  package let unmatchedInSecond: Int

  /// Operations of the first that correspond to none of the second.
  package var unmatchedInFirst: Int { partners.count { $0 < 0 } }

  /// What operations that are alike have in common.
  private struct Likeness: Hashable {
    /// The adding operation by its index in the first recording, or -1.
    var parent: Int32
    var name: String
    var kind: String
  }

  /// O(operations).
  package init(_ first: Trace, _ second: Trace) {
    let count = first.operations.count
    if Self.isSameOrder(first, second) {
      partners = (0..<Int32(count)).map { $0 }
      unmatchedInSecond = 0
      return
    }
    var partners = [Int32](repeating: -1, count: count)
    var waiting: [Likeness: [Int32]] = [:]
    for index in first.operations.indices {
      let parent = first.operations[index].parent
      waiting[Self.likeness(first, index, parent: parent), default: []].append(Int32(index))
    }
    // An operation is numbered behind the one that adds it.
    var back = [Int32](repeating: -1, count: second.operations.count)
    var taken: [Likeness: Int] = [:]
    for index in second.operations.indices {
      let parent = second.operations[index].parent
      let partner = parent >= 0 ? back[Int(parent)] : -1
      if parent >= 0, partner < 0 { continue }
      let likeness = Self.likeness(second, index, parent: partner)
      let next = taken[likeness, default: 0]
      guard let alike = waiting[likeness], next < alike.count else { continue }
      taken[likeness] = next + 1
      back[index] = alike[next]
      partners[Int(alike[next])] = Int32(index)
    }
    self.partners = partners
    unmatchedInSecond = back.count { $0 < 0 }
  }

  private static func likeness(_ trace: Trace, _ index: Int, parent: Int32) -> Likeness {
    let operation = trace.operations[index]
    return Likeness(
      parent: parent, name: trace.names[Int(operation.name)],
      kind: trace.names[Int(operation.kind)])
  }

  /// Whether both have the same operations in the same order, as programs do that add all of them
  /// from one thread.
  private static func isSameOrder(_ first: Trace, _ second: Trace) -> Bool {
    guard first.operations.count == second.operations.count else { return false }
    let isSameTable = first.names == second.names
    return first.operations.indices.allSatisfy { index in
      let (one, other) = (first.operations[index], second.operations[index])
      guard one.parent == other.parent else { return false }
      if isSameTable { return one.name == other.name && one.kind == other.kind }
      return first.names[Int(one.name)] == second.names[Int(other.name)]
        && first.names[Int(one.kind)] == second.names[Int(other.kind)]
    }
  }
}
