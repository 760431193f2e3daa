// SPDX-License-Identifier: Apache-2.0

package import Analysis
internal import Results
internal import Statistics

/// What a comparison of two files shows to a person: first what it cannot say, then the figures.
package struct FileComparisonReport: Sendable {
  let comparison: FileComparison
  let names: (base: String, candidate: String)

  /// - Parameters:
  ///   - comparison: what the rows say.
  ///   - names: of the files, for the headings.
  package init(_ comparison: FileComparison, names: (base: String, candidate: String)) {
    self.comparison = comparison
    self.names = names
  }

  /// What stands above everything else.
  static let caution =
    "Two runs one after the other: what the machine did in between is in the difference. This "
    + "cannot gate; for a verdict use --base or --binary."

  /// The whole report as text for a terminal; ends with a newline.
  package func text(style: TerminalStyle) -> String {
    func wrapped(_ texts: [String], _ emphasis: Emphasis) -> [String] {
      texts.flatMap { HelpText.wrap($0, width: HelpText.width) }.map { style.paint($0, emphasis) }
    }
    var lines = wrapped([Self.caution], .strong) + [""]
    lines += wrapped(sides, .plain)
    lines += wrapped(warnings.map { "warning: \($0)" }, .doubtful)
    lines += [""]
    if !comparison.figures.isEmpty { lines += table.lines(style: style) + [""] }
    lines += wrapped([summary], .plain)
    lines += wrapped(unmatched(most: Self.mostNames), .plain)
    lines += wrapped(legend, .faint)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The whole report in GitHub's Markdown, for a comment on a pull request.
  package var markdown: String {
    var parts = ["**\(Self.caution)**", (sides + warnings.map { "**warning:** \($0)" }).asList]
    if !comparison.figures.isEmpty { parts.append(table.markdown) }
    parts.append(([summary] + unmatched(most: Self.mostNames)).asList)
    if !legend.isEmpty { parts.append(legend.joined(separator: "\n") + "\n") }
    return parts.joined(separator: "\n\n")
  }

  // MARK: - What is said

  /// Names of a list before the rest is counted.
  private static let mostNames = 10

  private var sides: [String] {
    [("A", names.base, comparison.base), ("B", names.candidate, comparison.candidate)].map {
      letter, name, figures in
      let commit = figures.code.commit.map { String($0.prefix(9)) } ?? "no commit"
      let changes = figures.code.isDirty == true ? " with changes" : ""
      return "\(letter): \(name), \(figures.run.time.text), \(commit)\(changes)"
    }
  }

  /// The caveats in words.
  var warnings: [String] { comparison.caveats.map(Self.text) }

  private static func text(_ caveat: FileComparison.Caveat) -> String {
    switch caveat {
    case .sameRun: "both files hold the same run"
    case .sameBinary(let binary):
      "both runs are of the same binary, \(binary): what differs is the runs, not the code"
    case .otherMachine(let base, let candidate):
      "the machines differ, A \(base), B \(candidate): what differs may be theirs alone"
    case .otherToolchain(let base, let candidate):
      "the toolchains differ: A \(base ?? "unknown"), B \(candidate ?? "unknown")"
    case .otherAllocator(let base, let candidate):
      "the allocators differ, A \(base.joined(separator: " and ")), B "
        + "\(candidate.joined(separator: " and ")): figures of different ones are not compared"
    case .otherBuild(let base, let candidate):
      "the builds differ: A is \(kind(of: base)), B \(kind(of: candidate))"
    case .spoiltBuilds(let flags):
      "both are \(flags.text) builds, whose figures mean nothing"
    case .leftOutCode(let isBase):
      "\(isBase ? "A" : "B") is a comparison of builds: its candidate counts, its base does not"
    }
  }

  private static func kind(of flags: Set<QualityFlag>) -> String {
    flags.isEmpty ? "a release build" : "a \(flags.text) build"
  }

  private var table: TextTable {
    var table = TextTable(columns: [
      ("contestant", .left), ("metric", .left), ("A", .right), ("B", .right),
      ("B to A", .right), ("95 % interval", .right), ("processes", .right),
    ])
    var last: ContestantID?
    for figure in comparison.figures {
      let unit = figure.metric.unit
      func cell(_ side: FileComparison.Side) -> TextTable.Cell {
        if let median = side.median { return .init(UnitFormatter.text(median, unit: unit)) }
        return .init(side.failure?.text ?? "no figure", .bad)
      }
      let interval = figure.ratio?.interval
      table.rows.append([
        .init(last == figure.id ? "" : name(of: figure.id)), .init(figure.metric.rawValue),
        cell(figure.base), cell(figure.candidate),
        .init(figure.ratio.map { UnitFormatter.change($0.ratio) } ?? ""),
        .init(
          interval.map { "\(UnitFormatter.change($0.low)) to \(UnitFormatter.change($0.high))" }
            ?? "", figure.isApart ? .strong : .plain),
        .init("\(figure.base.processes), \(figure.candidate.processes)"),
      ])
      last = figure.id
    }
    return table
  }

  private func name(of id: ContestantID) -> String {
    let params = id.params.entries.map { " \($0.name)=\($0.value)" }.joined()
    return "\(id.benchmark)\(params), \(id.scheduler)"
  }

  /// How many figures there are, and what to think of them.
  var summary: String {
    let figures = comparison.figures
    guard !figures.isEmpty else {
      return "No contestant is in both files with the same parameters and allocator."
    }
    let judged = figures.count { $0.ratio?.interval != nil }
    guard judged > 0 else {
      return "No figure has an interval: \(UnpairedRatio.leastFigures) processes on either side "
        + "are enough for one."
    }
    return "The interval leaves out no change in \(figures.count(where: \.isApart)) of \(judged) "
      + "figures; of figures that are equal it does in 1 of 20."
  }

  /// Who is in one file alone, up to so many names of each.
  private func unmatched(most: Int) -> [String] {
    [("A", comparison.onlyInBase), ("B", comparison.onlyInCandidate)].compactMap { letter, ids in
      guard !ids.isEmpty else { return nil }
      let several = comparison.caveats.contains {
        if case .otherAllocator = $0 { true } else { false }
      }
      let names = ids.prefix(most).map { name(of: $0) + (several ? ", \($0.allocator)" : "") }
      let rest = ids.count - names.count
      return "only in \(letter): " + names.joined(separator: "; ")
        + (rest > 0 ? "; and \(rest) more" : "")
    }
  }

  private var legend: [String] {
    guard !comparison.figures.isEmpty else { return [] }
    return [
      "A and B: medians over processes. B to A: the median of the ratios of every process of B to "
        + "every one of A, with the interval that Mann and Whitney's test does not reject; less is "
        + "better. The interval knows how processes of one run differ, and not how runs do."
    ]
  }
}

extension [String] {
  /// A line of a list in Markdown for each.
  fileprivate var asList: String { map { "- \($0)" }.joined(separator: "\n") }
}
