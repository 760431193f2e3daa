// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results

extension Report {
  /// What the whole run says in one or two sentences.
  var headline: [String] {
    let contested = results.filter { result in
      let metric = result.group.primaryMetric
      return result.contestants.filter { $0.contestant.isRanked(by: metric) }.count > 1
        && result.best(metric) != nil
    }
    guard !contested.isEmpty else {
      let hasReferences = results.contains { result in
        result.contestants.contains(where: \.contestant.isReference)
      }
      return [
        "\(results.count) measurement\(results.count == 1 ? "" : "s"), nothing to "
          + (hasReferences ? "rank; references stand apart" : "compare with")
      ]
    }
    guard rounds >= Orchestrator.leastRoundsForInterval else {
      return [
        "Lowest median: " + tally(contested) + ".",
        "\(rounds) round\(rounds == 1 ? " is" : "s are") too few to establish a difference; "
          + "--processes 8 or more settles it.",
      ]
    }
    let settled = contested.filter(isSettled)
    let open = contested.count - settled.count
    if settled.isEmpty {
      return ["No scheduler is established as the fastest; lowest median: \(tally(contested))."]
    }
    return [
      "Established as fastest: " + tally(settled)
        + (open > 0 ? "; open in \(open) of \(contested.count)." : ".")
    ]
  }

  /// `work-stealing in 6 groups, inline in 1`.
  private func tally(_ results: [GroupResult]) -> String {
    var counts: [(name: String, count: Int)] = []
    for result in results {
      guard let name = result.best(result.group.primaryMetric)?.contestant.label else { continue }
      if let index = counts.firstIndex(where: { $0.name == name }) {
        counts[index].count += 1
      } else {
        counts.append((name, 1))
      }
    }
    counts.sort { $0.count > $1.count }
    return counts.enumerated().map { index, entry in
      let unit = index > 0 ? "" : entry.count == 1 ? " group" : " groups"
      return "\(entry.name) in \(entry.count)" + unit
    }.joined(separator: ", ")
  }

  /// True when the best is established against every other scheduler that has a figure.
  private func isSettled(_ result: GroupResult) -> Bool {
    result.contestants.allSatisfy { contestant in
      guard !contestant.contestant.isReference,
        let comparison = contestant.comparisons[result.group.primaryMetric]
      else { return true }
      switch comparison {
      case .best, .established: return true
      case .tooFewRounds, .notEstablished: return false
      }
    }
  }

  /// What the columns and marks mean, as far as they occur.
  var legend: [String] {
    var lines: [String] = []
    let metrics = Set(results.map(\.group.primaryMetric))
    if metrics.contains(.wall) {
      lines.append(
        "wall/op: first construction to last release, divided by operations; median of processes.")
    }
    if metrics.contains(.latency) {
      lines.append("latency: \(Metric.latency.summary); × best compares p50.")
    }
    lines += latencyRemarks
    if metrics.contains(.makespan) {
      lines.append("ideal: \(Metric.efficiencyIdeal.summary).")
    }
    lines.append(
      "× best: ratio to the best of the group, round by round; lower is better. Seed \(seed).")
    let comparisons = results.flatMap { result in
      result.contestants.compactMap { $0.comparisons[result.group.primaryMetric] }
    }
    let isOpen = comparisons.contains { if case .notEstablished = $0 { true } else { false } }
    if isOpen { lines.append("not established: the interval of the ratio contains 1.") }
    lines += notes.map { "note: \($0)" }
    if let disturbance { lines.append(disturbance) }
    return lines
  }

  /// What is unusual in blocks of latencies: who is not ranked, and which percentile is missing.
  private var latencyRemarks: [String] {
    var lines: [String] = []
    let blocks = results.filter { $0.group.primaryMetric == .latency }
    let measured = blocks.flatMap(\.contestants).filter { $0.failure == nil }
    let baselines = measured.filter { !$0.contestant.isCompared(by: .latency) }
      .map(\.contestant.name)
    if let name = baselines.first {
      lines.append("not ranked: \(name) runs the body inside the call that submits it.")
    }
    if measured.contains(where: { $0.figure(.latency, .p99) == nil }) {
      lines.append("–: too few samples for this percentile; longer runs have more.")
    }
    return lines
  }
}
