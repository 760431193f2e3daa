// SPDX-License-Identifier: Apache-2.0

internal import Scheduling

/// Whom a thief asks first.
enum VictimOrder {
  /// The regular workers that worker `index` asks, in order; empty for a random order and for
  /// compensation threads, which have no place.
  static func victims(
    of index: Int, workers: Int, placement: WorkerPlacement?,
    _ order: WorkStealingConfiguration.StealOrder
  ) -> [Int] {
    guard order == .nearestFirst, index < workers, let placement else { return [] }
    return nearestFirst(index, homes: (0..<workers).map(placement.home(of:)))
  }

  /// The workers but `index` by the distance between their processors and its own.
  ///
  /// Equally near ones follow by their numbers from the thief's own on, so that thieves of one
  /// cache do not all begin with the same victim. O(workers × log workers).
  static func nearestFirst(_ index: Int, homes: [ProcessorTopology.Processor]) -> [Int] {
    let own = homes[index]
    let others = (1..<max(1, homes.count)).map { (index + $0) % homes.count }
    let keyed = others.enumerated().map { rank, worker in
      (distance: own.distance(to: homes[worker]), rank: rank, worker: worker)
    }
    return keyed.sorted { ($0.distance, $0.rank) < ($1.distance, $1.rank) }.map(\.worker)
  }
}
