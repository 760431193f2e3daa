// SPDX-License-Identifier: Apache-2.0

package import Analysis
internal import Results
internal import Statistics

/// What a finished run shows to a person: a headline, one block per group, and what to make of the
/// marks.
package struct Report: Sendable {
  /// The table of one group with what stands around it.
  struct Block {
    let title: String
    let subtitle: String
    /// What to know before the figures, one line each.
    let facts: [String]
    /// The schedulers.
    var table: TextTable
    /// References, measured with operations of their own.
    var references: TextTable
    /// What to know about the references, and failures.
    var remarks: [TextTable.Cell]
  }

  let analysis: Analysis
  let context: ReportContext

  /// - Parameters:
  ///   - analysis: what the rows say.
  ///   - context: what is known besides.
  package init(_ analysis: Analysis, context: ReportContext = ReportContext()) {
    self.analysis = analysis
    self.context = context
  }

  /// The whole report as text for a terminal; ends with a newline.
  package func text(style: TerminalStyle) -> String {
    var blocks = analysis.groups.map(block)
    let widths = Self.commonWidths(blocks.flatMap { [$0.table, $0.references] })
    for index in blocks.indices {
      blocks[index].table.minimumWidths = widths[blocks[index].table.columns.count] ?? []
      blocks[index].references.minimumWidths = blocks[index].table.minimumWidths
    }
    var lines = Self.wrapped(headline).map { style.paint($0, .strong) }
    if let certificate = context.certificate { lines.append(style.paint(certificate, .faint)) }
    for block in blocks {
      lines += ["", style.paint(block.title, .strong) + "  " + style.paint(block.subtitle, .faint)]
      let facts = block.facts.flatMap { HelpText.wrap($0, width: HelpText.width - 2) }
      lines += facts.map { "  " + $0 }
      lines += block.table.lines(style: style)
      if !block.references.rows.isEmpty {
        lines.append("  " + style.paint(Self.apart, .faint))
        lines += block.references.lines(style: style).dropFirst()
      }
      for remark in block.remarks {
        let paragraphs = remark.text.split(separator: "\n")
        for line in paragraphs.flatMap({ HelpText.wrap(String($0), width: HelpText.width - 2) }) {
          lines.append("  " + style.paint(line, remark.emphasis))
        }
      }
    }
    lines += scalingLines(style)
    lines += [""] + Self.wrapped(legend).map { style.paint($0, .faint) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The whole report in GitHub's Markdown.
  package var markdown: String {
    var parts = (headline + [context.certificate].compactMap(\.self)).map { $0 + "\n" }
    for block in analysis.groups.map(block) {
      parts.append("### \(block.title)\n\n\(block.subtitle)\n")
      parts += block.facts.map { $0 + "\n" }
      parts.append(block.table.markdown)
      if !block.references.rows.isEmpty { parts += [Self.apart + "\n", block.references.markdown] }
      if !block.remarks.isEmpty {
        parts.append(
          block.remarks.map { "- " + $0.text.replacing("\n", with: " ") }.joined(separator: "\n")
            + "\n")
      }
    }
    if let scaling {
      parts += ["### \(ScalingTable.heading)\n", scaling.table.markdown]
      parts.append(scaling.remarks.joined(separator: "\n") + "\n")
    }
    parts.append(legend.joined(separator: "\n") + "\n")
    return parts.joined(separator: "\n")
  }

  /// What more workers gave; nil where nobody was measured with several numbers of them.
  private var scaling: ScalingTable? {
    let results = analysis.scaling
    return results.isEmpty
      ? nil : ScalingTable(results: results, threadSpeedups: context.threadSpeedups)
  }

  private func scalingLines(_ style: TerminalStyle) -> [String] {
    guard let scaling else { return [] }
    return ["", style.paint(ScalingTable.heading, .strong)] + scaling.table.lines(style: style)
      + Self.wrapped(scaling.remarks).map { "  " + $0 }
  }

  private static func wrapped(_ sentences: [String]) -> [String] {
    sentences.flatMap { HelpText.wrap($0, width: HelpText.width) }
  }

  /// What stands above the references.
  private static let apart = "apart, with operations of its own:"

  /// Widest cell by column over all tables with the same number of columns, so that they line up.
  private static func commonWidths(_ tables: [TextTable]) -> [Int: [Int]] {
    tables.reduce(into: [:]) { all, table in
      let known = all[table.columns.count] ?? table.widths
      all[table.columns.count] = zip(known, table.widths).map { max($0, $1) }
    }
  }

  private func block(_ group: GroupResult) -> Block {
    let sizes = group.sizes.map { "\($0.name)=\($0.value)" }
    let workers = ["\(group.workers) worker\(group.workers == 1 ? "" : "s")"]
    let cpus = group.cpus.map { ["pinned to \($0) CPU\($0 == 1 ? "" : "s")"] } ?? []
    var table = TextTable(columns: ReportColumns.headings(of: group))
    var references = table
    for contestant in group.contestants {
      let cells = ReportColumns.cells(of: contestant, in: group)
      if contestant.system.isReference {
        references.rows.append(cells)
      } else {
        table.rows.append(cells)
      }
    }
    return Block(
      title: group.benchmark,
      subtitle: (sizes + workers + cpus).joined(separator: " · "),
      facts: context.facts[group.benchmark] ?? [], table: table, references: references,
      remarks: remarks(group))
  }

  /// Whose iteration times had not settled; nil where nobody's are known to be so.
  ///
  /// Of few iterations the label is unknown, which the rows say and which is no finding.
  private static func unsettled(_ group: GroupResult) -> String? {
    let parts = [WarmUpState.drifting, .cyclic].compactMap { state -> String? in
      let labels = group.contestants.filter { $0.state == state }.map(\.label)
      return labels.isEmpty ? nil : "\(state.rawValue): " + labels.joined(separator: ", ")
    }
    return parts.isEmpty ? nil : "iteration times " + parts.joined(separator: "; ")
  }

  /// What the workload reports beyond the registry: a line per metric, a figure per contestant.
  private static func ownFigures(_ group: GroupResult) -> [String] {
    var order: [String] = []
    var figures: [String: [String]] = [:]
    for contestant in group.contestants {
      for (metric, value) in contestant.ownFigures {
        if figures[metric.rawValue] == nil { order.append(metric.rawValue) }
        figures[metric.rawValue, default: []].append(
          "\(contestant.label) \(UnitFormatter.significant(value))")
      }
    }
    return order.sorted().map { "\($0): \((figures[$0] ?? []).joined(separator: ", "))" }
  }

  /// What was counted for an operation beside the times: a line per metric that somebody has or was
  /// asked for, a figure per contestant, or why there is none.
  private static func countedFigures(_ group: GroupResult) -> [String] {
    // Instructions come with allocations of their own, in the table.
    guard group.primaryMetric != .instructions else { return [] }
    let hardware = Metric.ofHardware.filter { metric in
      group.contestants.contains { $0.figure(metric) != nil }
    }
    return (Metric.ofCountingChild + hardware).compactMap { metric in
      let figures = group.contestants.compactMap { contestant -> String? in
        let figure = contestant.figure(metric)
          .map { UnitFormatter.text($0.value, unit: metric.unit) }
        return (figure ?? contestant.uncounted(metric)?.text).map { "\(contestant.label) \($0)" }
      }
      return figures.isEmpty
        ? nil : "\(metric.rawValue)/op: " + figures.joined(separator: ", ")
    }
  }

  /// Why nobody is best; nil where somebody is, or where nobody is ranked.
  private func undecided(_ group: GroupResult) -> String? {
    let metric = group.primaryMetric
    guard analysis.rounds >= PairedRatio.leastPairs, group.ranked.count > 1,
      group.best(metric) == nil
    else { return nil }
    switch group.undecided[metric] {
    case .nothingEstablished:
      return "nobody is best: no difference between schedulers is established; more rounds may "
        + "establish some"
    case .leadersOpen:
      return "nobody is best: each one trails another, not all by an established difference; more "
        + "rounds may tell"
    case .everyoneBeaten:
      return "nobody is best: each one is beaten by another, round by round"
    case nil:
      return "nobody is best: two have too few rounds with figures above 0 in common"
    }
  }

  /// Failures, caps and contradictions, which the figures alone would hide.
  private func remarks(_ group: GroupResult) -> [TextTable.Cell] {
    var remarks: [TextTable.Cell] = []
    if let tail = group.tail, let best = group.best(.latency) {
      let factor = UnitFormatter.significant(tail.factor)
      remarks.append(
        .init(
          "open: best by p50, \(best.label) has \(factor) times the p99 of \(tail.least.label)",
          .doubtful))
    }
    if let undecided = undecided(group) { remarks.append(.init(undecided, .doubtful)) }
    if let unsettled = Self.unsettled(group) { remarks.append(.init(unsettled, .doubtful)) }
    remarks += (Self.countedFigures(group) + Self.ownFigures(group)).map { .init($0, .plain) }
    for contestant in group.contestants {
      if let failure = contestant.failure {
        let round = contestant.failedRound.map { " in round \($0)" } ?? ""
        let story = context.failures[contestant.id] ?? failure.text
        remarks.append(.init("\(contestant.label)\(round): \(story)", .bad))
      }
      guard let caveat = contestant.system.caveat else { continue }
      let caps = contestant.caps.map { "; capped to \($0.axis)=\($0.cap)" }.joined()
      remarks.append(.init("\(contestant.name): \(caveat)\(caps)", .doubtful))
    }
    return remarks
  }
}
