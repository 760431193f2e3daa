// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Results
internal import Statistics

/// What a finished run shows to a person: a headline, one block per group, and what to make of the marks.
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

  let results: [GroupResult]
  let rounds: Int
  let seed: UInt64
  /// What was asked for and not measured, and the like; one line each.
  let notes: [String]
  /// What disturbed the run, in one line.
  let disturbance: String?

  /// - Parameters:
  ///   - results: what was measured.
  ///   - rounds: rounds that were run.
  ///   - seed: seed of the order, printed so that the run can be repeated.
  ///   - notes: what to know of the plan, such as a reference that has not what was asked for; one line each.
  ///   - disturbance: what disturbed the run, in one line; nil when nothing did.
  package init(
    results: [GroupResult], rounds: Int, seed: UInt64, notes: [String] = [],
    disturbance: String? = nil
  ) {
    self.notes = notes
    self.disturbance = disturbance
    self.results = results
    self.rounds = rounds
    self.seed = seed
  }

  /// The whole report as text for a terminal; ends with a newline.
  package func text(style: TerminalStyle) -> String {
    var blocks = results.map(block)
    let widths = Self.commonWidths(blocks.flatMap { [$0.table, $0.references] })
    for index in blocks.indices {
      blocks[index].table.minimumWidths = widths[blocks[index].table.columns.count] ?? []
      blocks[index].references.minimumWidths = blocks[index].table.minimumWidths
    }
    var lines = Self.wrapped(headline).map { style.paint($0, .strong) }
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
    lines += [""] + Self.wrapped(legend).map { style.paint($0, .faint) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The whole report in GitHub's Markdown.
  package var markdown: String {
    var parts = headline.map { $0 + "\n" }
    for block in results.map(block) {
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
    parts.append(legend.joined(separator: "\n") + "\n")
    return parts.joined(separator: "\n")
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

  private func block(_ result: GroupResult) -> Block {
    let group = result.group
    let sizes = group.parameters.entries.map { "\($0.name)=\($0.value)" }
    let settings = group.settings.filter { $0.key != MeasurementGroup.fingerprintKey }
      .sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let workers = ["\(group.workers) worker\(group.workers == 1 ? "" : "s")"]
    let cpus = group.cpus.map { ["pinned to \($0) CPU\($0 == 1 ? "" : "s")"] } ?? []
    var table = TextTable(columns: ReportColumns.headings(of: result))
    var references = table
    for contestant in result.contestants {
      let cells = ReportColumns.cells(of: contestant, in: result)
      if contestant.contestant.isReference {
        references.rows.append(cells)
      } else {
        table.rows.append(cells)
      }
    }
    return Block(
      title: group.benchmark,
      subtitle: (sizes + settings + workers + cpus).joined(separator: " · "), facts: group.facts,
      table: table, references: references, remarks: remarks(result))
  }

  /// Failures, caps and contradictions, which the figures alone would hide.
  private func remarks(_ result: GroupResult) -> [TextTable.Cell] {
    var remarks: [TextTable.Cell] = []
    if let tail = result.tail, let best = result.best(.latency) {
      let factor = UnitFormatter.significant(tail.factor)
      remarks.append(
        .init(
          "open: best by p50, \(best.contestant.label) has \(factor) times the p99 of "
            + "\(tail.least.contestant.label)", .doubtful))
    }
    if rounds >= Orchestrator.leastRoundsForInterval, result.ranked.count > 1,
      result.best(result.group.primaryMetric) == nil
    {
      remarks.append(
        .init("nobody is best: each one is beaten by another, round by round", .doubtful))
    }
    for contestant in result.contestants {
      if let failure = contestant.failure {
        let process = contestant.processes.first { $0.outcome.failure == failure }
        let round = process.map { " in round \($0.round + 1)" } ?? ""
        remarks.append(.init("\(contestant.contestant.label)\(round): \(failure)", .bad))
      }
      guard let caveat = contestant.contestant.caveat else { continue }
      let caps = contestant.contestant.caps.sorted { $0.key < $1.key }
        .map { "; capped to \($0.key)=\($0.value)" }.joined()
      remarks.append(.init("\(contestant.contestant.name): \(caveat)\(caps)", .doubtful))
    }
    return remarks
  }
}
