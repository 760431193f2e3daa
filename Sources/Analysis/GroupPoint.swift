// SPDX-License-Identifier: Apache-2.0

internal import Results

/// The point that the contestants of a group share, as far as their rows have said so far.
///
/// Not every contestant names every coordinate: a reference cuts an axis to its cap, and a system
/// with a worker count of its own says nothing of the one asked for.
struct GroupPoint {
  private var sizes: [String: String] = [:]
  private(set) var workers: Int?
  private(set) var cpus: String?
  private var ids: Set<ContestantID> = []
  private var first: ContestantID?
  private var place: Int?

  /// Takes a contestant in; false when it belongs to another group, which leaves the point as it
  /// was.
  ///
  /// Contestants of a group stand in the order of the roster.
  mutating func admit(_ contestant: ContestantResult, place: Int?) -> Bool {
    let id = contestant.id
    if let first {
      guard first.suite == id.suite, first.benchmark == id.benchmark,
        first.allocator == id.allocator, cpus == id.params[RowParameters.cpus], !ids.contains(id)
      else { return false }
    }
    if let place, let last = self.place, place < last { return false }
    let own = Self.sizes(of: contestant, cut: contestant.caps.map(\.axis))
    guard own.allSatisfy({ sizes[$0.name] ?? $0.value == $0.value }) else { return false }
    let asked = contestant.system.keepsWorkers ? nil : contestant.workers
    if let asked, let workers, asked != workers { return false }
    for size in own { sizes[size.name] = size.value }
    workers = workers ?? asked
    cpus = id.params[RowParameters.cpus]
    ids.insert(id)
    first = first ?? id
    self.place = place ?? self.place
    return true
  }

  /// Sizes and settings by name; where all contestants cut an axis, what they cut it to.
  func sizes(of contestants: [ContestantResult]) -> [(name: String, value: String)] {
    var all = sizes
    for contestant in contestants {
      for size in Self.sizes(of: contestant, cut: []) where all[size.name] == nil {
        all[size.name] = size.value
      }
    }
    all[RowParameters.graph] = nil
    return all.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }

  /// What of a contestant's parameters is the group's, without the axes that it cut.
  private static func sizes(of contestant: ContestantResult, cut: [String])
    -> [(name: String, value: String)]
  {
    contestant.id.params.entries.filter { entry in
      !entry.name.hasPrefix(RowParameters.capPrefix) && !cut.contains(entry.name)
        && !contestant.system.knobs.contains(entry.name)
        && entry.name != RowParameters.workers && entry.name != RowParameters.cpus
    }.map { ($0.name, $0.value) }
  }
}
