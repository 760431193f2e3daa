// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Results
package import Statistics

/// How much faster one scheduler gets through one benchmark with more workers.
///
/// The speed-up is by how much the time per operation shrinks against the fewest workers, round by
/// round. That is strong scaling where all sizes stay as they are, and weak scaling where sizes
/// grow with the workers: with time per operation the definition is the same. Source: Gustafson,
/// Reevaluating Amdahl's Law, CACM 31(5), 1988.
package struct ScalingResult: Sendable {
  /// What happens to the sizes as workers are added.
  package enum Kind: String, Sendable { case strong, weak }

  /// One number of workers.
  package struct Point: Sendable {
    package let workers: Int
    /// The time per operation with the fewest workers over that with these; its interval too.
    package let speedup: PairedRatio
  }

  package let kind: Kind
  package let benchmark: String
  /// Sizes that stay as they are, and those that grow, as they are for one worker.
  package let sizes: [(name: String, value: String)]
  /// The scheduler with its knobs.
  package let label: String
  /// The fewest workers.
  package let base: Int
  /// The others, ascending; never empty.
  package let points: [Point]

  /// By how much of what more workers could give it speeds up at a point: 1 where twice as many
  /// workers take half the time.
  package func efficiency(_ point: Point) -> Double {
    point.speedup.ratio * Double(base) / Double(point.workers)
  }
}

extension Analysis {
  /// Every scheduler that was measured with several numbers of workers, in the order of the groups.
  package var scaling: [ScalingResult] {
    ScalingFamily.families(groups).flatMap(\.results)
  }
}

/// Groups that differ in their number of workers alone, or in sizes that grow with it.
private struct ScalingFamily {
  let kind: ScalingResult.Kind
  let sizes: [(name: String, value: String)]
  /// Ascending by workers, each number once.
  let groups: [GroupResult]

  static func families(_ groups: [GroupResult]) -> [ScalingFamily] {
    var order: [String] = []
    var alike: [String: [GroupResult]] = [:]
    for group in groups where group.workers > 0 {
      let key = key(group, sizes: group.sizes)
      if alike[key] == nil { order.append(key) }
      alike[key, default: []].append(group)
    }
    let strong = order.compactMap { key in family(.strong, alike[key] ?? []) { $0.sizes } }
    let single = order.compactMap { key in (alike[key] ?? []).count == 1 ? alike[key]?[0] : nil }
    return strong + weak(single)
  }

  /// Families among groups of which no two have the same sizes.
  private static func weak(_ groups: [GroupResult]) -> [ScalingFamily] {
    var order: [String] = []
    var alike: [String: [GroupResult]] = [:]
    for group in groups {
      let others = groups.filter { $0.benchmark == group.benchmark && $0.cpus == group.cpus }
      let key = key(group, sizes: perWorker(group, among: others))
      if alike[key] == nil { order.append(key) }
      alike[key, default: []].append(group)
    }
    return order.compactMap { key in
      family(.weak, alike[key] ?? []) { perWorker($0, among: alike[key] ?? []) }
    }
  }

  /// The sizes of a group, those that differ among the groups divided by its workers.
  private static func perWorker(
    _ group: GroupResult, among groups: [GroupResult]
  ) -> [(name: String, value: String)] {
    group.sizes.map { size in
      let differs = groups.contains { other in
        other.sizes.contains { $0.name == size.name && $0.value != size.value }
      }
      guard differs, let value = Int(size.value), value % group.workers == 0 else { return size }
      return (name: size.name, value: String(value / group.workers))
    }
  }

  private static func key(_ group: GroupResult, sizes: [(name: String, value: String)]) -> String {
    "\(group.suite) \(group.benchmark) \(group.cpus ?? 0) "
      + sizes.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
  }

  private static func family(
    _ kind: ScalingResult.Kind, _ groups: [GroupResult],
    sizes: (GroupResult) -> [(name: String, value: String)]
  ) -> ScalingFamily? {
    let sorted = groups.sorted { $0.workers < $1.workers }
    guard sorted.count > 1, Set(sorted.map(\.workers)).count == sorted.count else { return nil }
    return ScalingFamily(kind: kind, sizes: sizes(sorted[0]), groups: sorted)
  }

  /// One result for each scheduler that the group with the fewest workers has a figure of.
  var results: [ScalingResult] {
    groups[0].contestants.compactMap { first in
      guard first.failure == nil, !first.system.keepsWorkers, !first.system.isReference else {
        return nil
      }
      let before = first.byRound(.wall)
      let points = groups.dropFirst().compactMap { group -> ScalingResult.Point? in
        let same = group.contestants.first { $0.label == first.label && $0.failure == nil }
        let after = same?.byRound(.wall) ?? [:]
        let logRatios = before.sorted { $0.key < $1.key }.compactMap { round, value -> Double? in
          guard let other = after[round], value > 0, other > 0 else { return nil }
          return log(value) - log(other)
        }
        guard !logRatios.isEmpty else { return nil }
        return ScalingResult.Point(
          workers: group.workers, speedup: PairedRatio.estimate(logRatios: logRatios, level: 0.95))
      }
      guard !points.isEmpty else { return nil }
      return ScalingResult(
        kind: kind, benchmark: groups[0].benchmark, sizes: sizes, label: first.label,
        base: groups[0].workers, points: points)
    }
  }
}
