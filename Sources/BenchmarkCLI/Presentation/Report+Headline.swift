// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results

extension Report {
  /// What the whole run says in one or two sentences.
  var headline: [String] {
    let contested = results.filter { $0.ranked.count > 1 }
    guard !contested.isEmpty else {
      let others = results.flatMap(\.contestants).filter {
        !$0.contestant.isRanked && $0.failure == nil
      }
      let what =
        others.isEmpty || results.allSatisfy(\.ranked.isEmpty)
        ? "nothing to compare with"
        : others.contains(where: \.contestant.isReference)
          ? "nothing to rank; references stand apart" : "nothing to rank beside the baseline"
      return ["\(results.count) measurement\(results.count == 1 ? "" : "s"), \(what)"]
    }
    guard rounds >= Orchestrator.leastRoundsForInterval else {
      return [
        "\(RunText.rounds(rounds)) \(rounds == 1 ? "is" : "are") too few to rank schedulers; "
          + "--processes \(Orchestrator.leastRoundsForInterval) or more does."
      ]
    }
    let settled = contested.filter(isSettled)
    let open = contested.count - settled.count
    if settled.isEmpty {
      let leaders = contested.filter { $0.best($0.group.primaryMetric) != nil }
      return [
        "No scheduler is established as the fastest"
          + (leaders.isEmpty ? "." : "; best round by round: \(tally(leaders)).")
      ]
    }
    return [
      "Established as fastest: " + tally(settled)
        + (open > 0 ? "; open in \(open) of \(contested.count)." : ".")
    ]
  }

  /// `work-stealing in 6 groups, dispatch in 1`.
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

  /// True when the best is established against every other scheduler that has a figure, by p50 and
  /// p99 alike where latencies are compared.
  private func isSettled(_ result: GroupResult) -> Bool {
    let metric = result.group.primaryMetric
    guard result.best(metric) != nil, result.tail == nil else { return false }
    return result.ranked.allSatisfy { contestant in
      switch contestant.comparisons[metric] {
      case .best, .established: true
      case .tooFewRounds, .notEstablished, nil: false
      }
    }
  }

  /// What the columns and marks mean, as far as they occur.
  var legend: [String] {
    var lines: [String] = []
    let metrics = Set(results.map(\.group.primaryMetric))
    if metrics.contains(.wall) {
      lines.append(
        "wall/op: first construction to last release, divided by operations; median of processes "
          + "with its 95 % interval.")
    }
    if metrics.contains(.latency) {
      let isRanked = results.contains { $0.best(.latency) != nil }
      lines.append(
        "p50, p99, max: \(Metric.latency.summary)\(isRanked ? "; × best compares p50" : "").")
    }
    lines += latencyRemarks
    if metrics.contains(.makespan) {
      lines.append(
        "ideal: \(Metric.efficiencyIdeal.summary). delay: p99 of what ready tasks wait.")
    }
    let comparisons = results.flatMap { result in
      result.contestants.compactMap { $0.comparisons[result.group.primaryMetric] }
    }
    lines.append(
      (comparisons.isEmpty
        ? ""
        : "× best: ratio to the best of the group, round by round, with its 95 % interval; lower "
          + "is better. ") + "Seed \(seed).")
    if let serial = results.flatMap(\.contestants).first(where: \.contestant.isSerialBaseline) {
      lines.append("serial: \(serial.contestant.name) is the baseline to beat; it is not ranked.")
    }
    let isOpen = results.contains { result in
      result.ranked.contains {
        if case .notEstablished? = $0.comparisons[result.group.primaryMetric] {
          true
        } else {
          false
        }
      }
    }
    if isOpen {
      lines.append("open: the interval of the ratio contains 1; no difference is established.")
    }
    lines += notes.map { "note: \($0)" }
    if let disturbance { lines.append(disturbance) }
    return lines
  }

  /// What is unusual in blocks of latencies: who has no ratio, and which percentile is missing.
  private var latencyRemarks: [String] {
    var lines: [String] = []
    let blocks = results.filter { $0.group.primaryMetric == .latency }
    let measured = blocks.flatMap(\.contestants).filter { $0.failure == nil }
    let baselines = measured.filter { !$0.contestant.isCompared(by: .latency) }
      .map(\.contestant.name)
    if let name = baselines.first {
      lines.append("no ratio: \(name) runs the body inside the call that submits it.")
    }
    if measured.contains(where: { $0.figure(.latency, .p99) == nil }) {
      lines.append("–: too few samples for this percentile; longer runs have more.")
    }
    return lines
  }
}
