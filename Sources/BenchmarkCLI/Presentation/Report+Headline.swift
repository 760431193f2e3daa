// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import Results
internal import Statistics

extension Report {
  /// What the whole run says in one or two sentences.
  var headline: [String] {
    let budget = context.rankingSeconds.map { "--budget \($0)s or more" }
    switch RunVerdict(analysis) {
    case .endedInFirstRound:
      guard let budget else { return ["Interrupted before the first round ended."] }
      return ["The budget ended before the first round did; \(budget) ranks schedulers."]
    case .nothingToRank(let groups, let others):
      let what =
        switch others {
        case .none: "nothing to compare with"
        case .references: "nothing to rank; references stand apart"
        case .baseline: "nothing to rank beside the baseline"
        }
      let parts = ["\(groups) measurement\(groups == 1 ? "" : "s"), \(what)", serialClause]
      return [parts.compactMap(\.self).joined(separator: "; ")]
    case .tooFewRounds(let rounds):
      return [
        "\(RunText.rounds(rounds)) \(rounds == 1 ? "is" : "are") too few to rank schedulers; "
          + "\(budget ?? "--processes \(PairedRatio.leastPairs) or more") does."
      ]
    case .noneEstablished(let leaders):
      let best = leaders.isEmpty ? nil : "best round by round: \(Self.text(leaders))"
      let hope = isAnyOpen ? "more rounds may establish one" : nil
      let parts = ["No scheduler is established as the \(words.best)", best, hope, serialClause]
      return [parts.compactMap(\.self).joined(separator: "; ") + "."]
    case .established(let winners, let open, let groups):
      let parts = [
        "Established as \(words.best): " + Self.text(winners, lead: words.lead),
        open > 0 ? "open in \(open) of \(groups)" : nil, serialClause,
      ]
      return [parts.compactMap(\.self).joined(separator: "; ") + "."]
    }
  }

  /// What the ranks are of: times, or also figures that nobody waits for, such as a rate.
  private var words: (best: String, better: String, worse: String, lead: String) {
    let ranked = analysis.groups.filter { !$0.ranked.isEmpty }
    return ranked.allSatisfy(\.primaryMetric.isTimeToWait)
      ? ("fastest", "faster", "slower", "times as long")
      : ("best", "better", "worse", "times worse")
  }

  /// In how many groups the serial baseline is faster than whom it is compared with, and in how
  /// many more it may be; nil where it is neither.
  ///
  /// It counts every ratio that a table shows, whether its group has a winner or not.
  private var serialClause: String? {
    let ratios = analysis.groups.map { group in
      group.contestants.filter(\.system.isSerialBaseline).compactMap {
        $0.comparisons[group.primaryMetric]
      }
    }
    let faster = ratios.count { $0.contains(where: Self.isFaster) }
    let open = ratios.count {
      !$0.contains(where: Self.isFaster) && $0.contains(where: Self.isOpen)
    }
    let parts = [
      faster > 0 ? "\(words.better) in \(faster)" : nil,
      open > 0 ? "not established to be \(words.worse) in \(open)" : nil,
    ].compactMap(\.self)
    return parts.isEmpty ? nil : "serial is " + parts.joined(separator: ", ")
  }

  private static func isFaster(_ comparison: Comparison) -> Bool {
    if case .established(let ratio) = comparison { ratio.ratio < 1 } else { false }
  }

  private static func isOpen(_ comparison: Comparison) -> Bool {
    switch comparison {
    case .notEstablished, .tooFewRounds: true
    case .best, .base, .established: false
    }
  }

  /// Whether a row of somebody who is ranked says `open`.
  private var isAnyOpen: Bool {
    analysis.groups.contains { group in
      group.ranked.contains {
        if case .notEstablished? = $0.comparisons[group.primaryMetric] { true } else { false }
      }
    }
  }

  /// `work-stealing in 6 groups, dispatch in 1`; with by how much each leads behind it.
  private static func text(_ tallies: [RunVerdict.Tally], lead: String? = nil) -> String {
    tallies.enumerated().map { index, tally in
      let unit = index > 0 ? "" : tally.count == 1 ? " group" : " groups"
      let ends = [tally.lead.lowerBound, tally.lead.upperBound].map(UnitFormatter.significant)
      let factor = ends[0] == ends[1] ? ends[0] : ends.joined(separator: "–")
      let words = lead.map { index > 0 ? " (\(factor))" : " (next: \(factor) \($0))" } ?? ""
      return "\(tally.label) in \(tally.count)" + unit + words
    }.joined(separator: ", ")
  }

  /// What the columns and marks mean, as far as they occur.
  var legend: [String] {
    var lines: [String] = []
    let groups = analysis.groups
    let metrics = Set(groups.map(\.primaryMetric))
    if metrics.contains(.wall) {
      lines.append(
        "wall/op: first construction to last release, divided by operations; median of processes "
          + "with its 95 % interval.")
    }
    if metrics.contains(.latency) {
      let headings = Set(groups.compactMap { ReportColumns.ratioHeading(of: $0, .latency) })
      let names = headings.sorted(by: >).joined(separator: " and ")
      let compared = names.isEmpty ? "" : "; \(names) compare\(headings.count > 1 ? "" : "s") p50"
      lines.append("p50, p99, max: \(Metric.latency.summary)\(compared).")
    }
    let named: Set<Metric> = [.wall, .latency, .makespan, .instructions]
    for metric in metrics.subtracting(named).sorted(by: { $0.rawValue < $1.rawValue }) {
      lines.append(
        "\(metric.rawValue): \(metric.summary); median of processes with its 95 % interval.")
    }
    lines += latencyRemarks
    if metrics.contains(.makespan) {
      lines.append(
        "ideal: \(Metric.efficiencyIdeal.summary). delay: p99 of what ready tasks wait.")
    }
    let headings = Set(
      groups.compactMap { ReportColumns.ratioHeading(of: $0, $0.primaryMetric) })
    let lower = metrics.contains { $0.direction == .higher } ? "a lower ratio" : "lower"
    let within = "round by round, with its 95 % interval; \(lower) is better."
    let ratios = [
      headings.contains("× best") ? "× best: ratio to the best of the group, \(within)" : nil,
      headings.contains("× base")
        ? "× base: nobody is best; ratio to who trails the others least, \(within)" : nil,
    ].compactMap(\.self).joined(separator: " ")
    let seed = context.seed.map { "Seed \($0)." } ?? ""
    let sentence = [ratios, seed].filter { !$0.isEmpty }.joined(separator: " ")
    if !sentence.isEmpty { lines.append(sentence) }
    if let serial = groups.flatMap(\.contestants).first(where: \.system.isSerialBaseline) {
      lines.append("serial: \(serial.name) is the baseline to beat; it is not ranked.")
    }
    if isAnyOpen {
      lines.append(
        "open: the interval of the ratio contains 1; no difference is established. Four times the "
          + "rounds (--processes \(4 * analysis.rounds)) about halve the intervals.")
    }
    lines += context.notes.map { "note: \($0)" }
    if let disturbance = context.disturbance { lines.append(disturbance) }
    return lines
  }

  /// What is unusual in blocks of latencies: who has no ratio, and which percentile is missing.
  private var latencyRemarks: [String] {
    var lines: [String] = []
    let blocks = analysis.groups.filter { $0.primaryMetric == .latency }
    let measured = blocks.flatMap(\.contestants).filter { $0.failure == nil }
    let baselines = measured.filter { !$0.isCompared(by: .latency) }.map(\.name)
    if let name = baselines.first {
      lines.append("no ratio: \(name) runs the body inside the call that submits it.")
    }
    if measured.contains(where: { $0.figure(.latency, .p99) == nil }) {
      lines.append("–: too few samples for this percentile; longer runs have more.")
    }
    return lines
  }
}
