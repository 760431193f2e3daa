// SPDX-License-Identifier: Apache-2.0

internal import Results

extension Metric {
  /// What a benchmark is about, as far as the metrics of its rows say.
  static func primary(among metrics: Set<Metric>) -> Metric {
    [.makespan, .latency, .wall, .instructions].first(where: metrics.contains) ?? .wall
  }
}
