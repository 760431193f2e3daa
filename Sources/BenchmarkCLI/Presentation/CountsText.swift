// SPDX-License-Identifier: Apache-2.0

internal import Counting
internal import Gate
internal import Measurement
internal import Results

/// What counting shows to a person.
struct CountsText {
  let record: CountingRecord
  /// What the counts are compared with, in words; nil when with nothing.
  let reference: String?
  /// What there is by way of a certificate of the machine, in one line; nil where nobody knows.
  let certificate: String?
  /// Whether functions are shown.
  let explains: Bool

  /// Functions of one case at the most.
  private static let mostFunctions = 15
  /// Width of a name at the most; symbols of Swift are far longer.
  private static let nameWidth = 56

  /// For a terminal; ends with a newline.
  func text(style: TerminalStyle) -> String {
    var lines = HelpText.wrap(headline, width: HelpText.width).map { style.paint($0, .strong) }
    if let certificate { lines.append(style.paint(certificate, .faint)) }
    lines += [""] + table.lines(style: style)
    for failure in failures { lines.append("  " + style.paint(failure, .bad)) }
    for (title, functions) in explanations {
      lines += ["", style.paint(title, .strong)] + functions.lines(style: style)
    }
    lines += [""]
    for sentence in legend {
      lines += HelpText.wrap(sentence, width: HelpText.width).map { style.paint($0, .faint) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// In GitHub's Markdown.
  var markdown: String {
    var parts = [headline, certificate].compactMap(\.self).map { $0 + "\n" } + [table.markdown]
    if !failures.isEmpty { parts.append(failures.map { "- \($0)\n" }.joined()) }
    for (title, functions) in explanations { parts += ["#### \(title)\n", functions.markdown] }
    return (parts + [legend.joined(separator: "\n") + "\n"]).joined(separator: "\n")
  }

  // MARK: - Sentences

  private var headline: String {
    let verdicts = record.cases.compactMap(\.comparison?.verdict)
    guard let reference, !verdicts.isEmpty else {
      return "Counted \(Self.cases(record.cases.count)); compared with nothing."
    }
    let tallies = [
      (CountsVerdict.more, "more"), (.noisy, "too noisy to judge"), (.fewer, "fewer"),
      (.same, "the same"),
    ].compactMap { verdict, word in
      let count = verdicts.count { $0 == verdict }
      return count > 0 ? "\(count) \(word)" : nil
    }
    let others = record.cases.count { $0.comparison == nil && $0.failure == nil }
    return "Against \(reference): " + tallies.joined(separator: ", ")
      + (others > 0 ? ", \(others) with nothing to compare with" : "") + "."
  }

  private var failures: [String] {
    record.cases.compactMap { counted in
      counted.failure.map { failure in
        "\(Self.label(counted.planned)): "
          + (counted.hasFailedBefore ? "\(reference ?? "the base"): " : "") + "\(failure)"
      }
    }
  }

  private var legend: [String] {
    var sentences = [
      "Per operation, in processes under valgrind that see one CPU: median of "
        + "\(Self.repetitions(record)) repetitions; apart: their range."
    ]
    if record.cases.contains(where: { $0.comparison != nil }) {
      let tolerance = CountsTolerance()
      sentences.append(
        "more: above a limit of \(Self.percent(tolerance.instructions)) of instructions, "
          + "\(UnitFormatter.fixed(tolerance.readModifyWrites, digits: 2)) rmw or "
          + "\(UnitFormatter.fixed(tolerance.allocations, digits: 2)) allocations, each widened by "
          + "half the ranges of both sides. noisy: with that width, 1 % more instructions or one "
          + "more of the others could be missed, so nothing is said.")
    }
    sentences.append(
      "rmw: atomic read-modify-writes. A count does not see waiting, contention and caches: what "
        + "costs the same here can take longer.")
    return sentences
  }

  // MARK: - Tables

  private var table: TextTable {
    let compares = record.cases.contains { $0.comparison != nil }
    var table = TextTable(
      columns: [
        ("case", .left), ("instructions", .right), ("apart", .right), ("rmw", .right),
        ("allocations", .right),
      ] + (compares ? [("change", .right), ("", .left)] : []))
    table.rows = record.cases.compactMap { counted in
      guard let counts = counted.counts?.counts else { return nil }
      let apart = counts.instructions.spread / counts.instructions.value
      var row: [TextTable.Cell] = [
        .init(Self.label(counted.planned)),
        .init(UnitFormatter.fixed(counts.instructions.value, digits: 1)),
        .init(Self.percent(apart)),
        .init(UnitFormatter.fixed(counts.readModifyWrites.value, digits: 2)),
        .init(UnitFormatter.fixed(counts.allocations.value, digits: 3)),
      ]
      if compares { row += Self.cells(counted.comparison) }
      return row
    }
    return table
  }

  /// The change of instructions, and the verdict with what it is about.
  private static func cells(_ comparison: CountsComparison?) -> [TextTable.Cell] {
    guard let comparison else { return ["", .init("nothing to compare with", .doubtful)] }
    let change = TextTable.Cell(signedPercent(comparison.instructions.change))
    switch comparison.verdict {
    case .same: return [change, .init("same", .faint)]
    case .fewer: return [change, .init("fewer" + others(comparison), .good)]
    case .more: return [change, .init("MORE" + others(comparison), .bad)]
    case .noisy: return [change, .init("noisy" + others(comparison), .doubtful)]
    }
  }

  /// What changed besides instructions, for the cell behind their change.
  private static func others(_ comparison: CountsComparison) -> String {
    let differences = [
      ("rmw", comparison.readModifyWrites), ("allocations", comparison.allocations),
    ]
    return differences.map { name, difference in
      switch difference.verdict {
      case .same: return ""
      case .noisy: return ", \(name) noisy"
      case .more, .fewer:
        let sign = difference.change < 0 ? "−" : "+"
        return ", \(sign)\(UnitFormatter.fixed(difference.change.magnitude, digits: 2)) \(name)"
      }
    }.joined()
  }

  private var explanations: [(title: String, functions: TextTable)] {
    guard explains else { return [] }
    return record.cases.compactMap { counted in
      guard let after = counted.counts?.functions else { return nil }
      let changes = FunctionChanges(before: counted.functionsBefore, after: after)
      let compares = counted.functionsBefore != nil
      var table = TextTable(
        columns: (compares ? [("before", .right), ("after", .right)] : [])
          + [(compares ? "change" : "instructions", .right), ("function", .left)])
      for entry in changes.entries.prefix(Self.mostFunctions) {
        let sign = !compares ? "" : entry.change < 0 ? "−" : "+"
        table.rows.append(
          (compares ? [.init(Self.instructions(entry.before ?? 0))] : [])
            + (compares ? [.init(Self.instructions(entry.after))] : [])
            + [
              .init(sign + Self.instructions(entry.change.magnitude)),
              .init(Self.shortened(entry.name)),
            ])
      }
      let rest = changes.entries.dropFirst(Self.mostFunctions)
      if !rest.isEmpty {
        let sum = rest.reduce(0) { $0 + $1.change }
        let sign = !compares ? "" : sum < 0 ? "−" : "+"
        table.rows.append(
          (compares ? ["", ""] : []) + [
            .init(sign + Self.instructions(sum.magnitude)), .init("\(rest.count) more", .faint),
          ])
      }
      let what = compares ? "where instructions went" : "where instructions are"
      return ("\(Self.label(counted.planned)): \(what)", table)
    }
  }

  // MARK: - Words

  /// `chain n=10000, inline`, and the worker count when it is not one.
  static func label(_ planned: CountingCase) -> String {
    let key = planned.key
    let workers = key.params[RowParameters.workers] ?? "1"
    let sizes = key.params.entries.filter { $0.name != RowParameters.workers }
      .map { "\($0.name)=\($0.value)" }
    return ([key.benchmark] + sizes).joined(separator: " ") + ", " + key.scheduler
      + (workers == "1" ? "" : ", \(workers) workers")
  }

  private static func cases(_ count: Int) -> String { "\(count) case\(count == 1 ? "" : "s")" }

  private static func repetitions(_ record: CountingRecord) -> String {
    let counts = record.cases.compactMap { $0.counts?.repetitions.count }
    guard let least = counts.min(), let most = counts.max(), least < most else {
      return "\(counts.first ?? 0)"
    }
    return "\(least) to \(most)"
  }

  private static func instructions(_ count: Double) -> String {
    UnitFormatter.fixed(count, digits: 1)
  }

  private static func percent(_ fraction: Double) -> String {
    UnitFormatter.fixed(fraction * 100, digits: 2) + " %"
  }

  private static func signedPercent(_ fraction: Double) -> String {
    (fraction < 0 ? "−" : "+") + percent(fraction.magnitude)
  }

  private static func shortened(_ name: String) -> String {
    name.count <= nameWidth ? name : name.prefix(nameWidth - 1) + "…"
  }
}
