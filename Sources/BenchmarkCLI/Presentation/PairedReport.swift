// SPDX-License-Identifier: Apache-2.0

package import Analysis
internal import Results
internal import Statistics

/// What a comparison in pairs shows to a person: the answer, a picture, a sentence per verdict, and
/// how it was found.
package struct PairedReport: Sendable {
  let analysis: PairedAnalysis
  let context: ReportContext

  /// - Parameters:
  ///   - analysis: what the rows say.
  ///   - context: what is known besides.
  package init(_ analysis: PairedAnalysis, context: ReportContext = ReportContext()) {
    self.analysis = analysis
    self.context = context
  }

  private var results: [PairedResult] { analysis.results }

  /// The whole report as text for a terminal; ends with a newline.
  package func text(style: TerminalStyle) -> String {
    var lines = HelpText.wrap(headline, width: HelpText.width).map { style.paint($0, .strong) }
    if let certificate = context.certificate { lines.append(style.paint(certificate, .faint)) }
    lines.append("")
    let tolerance = results.first?.design.tolerance ?? .timing
    lines += IntervalPicture(
      bars: results.map(bar), tolerance: tolerance.difference
    ).lines(style: style)
    for result in results {
      let point = PairedPoint(result)
      lines += [
        "", style.paint(point.title, .strong) + "  " + style.paint(point.subtitle, .faint),
      ]
      let emphasis = Self.emphasis(of: result)
      for paragraph in sentences(of: result) {
        lines += HelpText.wrap(paragraph, width: HelpText.width - 2).map {
          "  " + style.paint($0, paragraph == sentences(of: result).first ? emphasis : .plain)
        }
      }
    }
    lines += [""]
    lines += legend(hasBars: true).flatMap { HelpText.wrap($0, width: HelpText.width) }.map {
      style.paint($0, .faint)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: - What is said

  /// The answer in one sentence.
  var headline: String {
    guard results.count != 1 else {
      return PairedSentence(result: results[0]).text(place: " on \(results[0].base.id.benchmark)")
    }
    var order: [String] = []
    var tallies: [String: [String]] = [:]
    for result in results {
      let names = PairedSentence(result: result).names
      let pair = "\(names.candidate) against \(names.base)"
      if tallies[pair] == nil { order.append(pair) }
      tallies[pair, default: []].append(Self.word(of: result))
    }
    guard !order.isEmpty else { return "Nothing was compared." }
    return order.map { pair in
      let words = tallies[pair] ?? []
      let counts = Self.words.compactMap { word in
        let count = words.count { $0 == word }
        return count > 0 ? "\(word) in \(count)" : nil
      }
      return "\(pair): \(counts.joined(separator: ", ")) of \(words.count)"
    }.joined(separator: "; ") + "."
  }

  private static let words = Verdict.allCases.map(\.rawValue) + ["no figure"]

  private static func word(of result: PairedResult) -> String {
    result.verdict?.rawValue ?? "no figure"
  }

  private static func emphasis(of result: PairedResult) -> Emphasis {
    switch result.verdict {
    case .slower, nil: .bad
    case .faster: .good
    case .equivalent: .plain
    case .inconclusive: .doubtful
    }
  }

  private func bar(_ result: PairedResult) -> IntervalPicture.Bar {
    let point = PairedPoint(result)
    let several = Set(results.map(\.candidate.label)).count > 1
    let metric = result.metric == result.base.primaryMetric ? "" : " \(result.metric.rawValue)"
    return IntervalPicture.Bar(
      label: point.title + metric + (several ? " \(result.candidate.label)" : ""),
      ratio: result.outcome?.ratio, verdict: Self.word(of: result),
      emphasis: Self.emphasis(of: result))
  }

  /// The verdict, the figures behind it, and what makes it doubtful.
  func sentences(of result: PairedResult) -> [String] {
    var lines = [PairedSentence(result: result).text()]
    if let story = context.failures[result.candidate.id] ?? context.failures[result.base.id] {
      lines.append(story)
    }
    let key = (result.metric, Statistic.p50)
    if let base = result.base.figure(key.0, key.1),
      let candidate = result.candidate.figure(key.0, key.1), result.outcome != nil
    {
      let unit = result.metric.unit
      let names = PairedSentence(result: result).names
      lines.append(
        "\(result.metric.rawValue): \(names.base) \(UnitFormatter.text(base.value, unit: unit)), "
          + "\(names.candidate) \(UnitFormatter.text(candidate.value, unit: unit)) (medians of "
          + "pairs)")
    }
    if !result.disturbed.isEmpty {
      lines.append(
        "disturbed pairs, all of which count: "
          + result.disturbed.map { "\($0.pairs) \($0.flag.text)" }.joined(separator: ", "))
    }
    if result.pairsWithoutFigure > 0 {
      lines.append(
        "\(result.pairsWithoutFigure) pairs have no figure above 0 and do not count")
    }
    return lines
  }

  /// How it was found, and what the words mean.
  func legend(hasBars: Bool) -> [String] {
    guard let design = results.first?.design else { return context.notes.map { "note: \($0)" } }
    let tolerance = UnitFormatter.percent(design.tolerance.difference)
    let margin = UnitFormatter.percent(design.tolerance.equivalence)
    var lines = [Self.text(design.pairing)]
    lines.append(
      (hasBars ? "Bars: change in " : "Change: in ") + Self.names(of: results.map(\.metric))
        + " from base to candidate with its 95 % interval, less is better"
        + (hasBars ? "; ┊ is the tolerance" : "")
        + ". slower, faster: certainly beyond \(tolerance); equivalent: certainly within "
        + "\(margin).")
    lines.append(
      results.count > 1
        ? "Equal sides are called slower or faster anywhere in this report in at most "
          + "\(UnitFormatter.percent(GateFamily.reportAlpha)) of comparisons of "
          + "\(results.count) verdicts."
        : "Equal sides are called slower or faster in at most 0.5 % of comparisons.")
    if let seed = context.seed { lines.append("Seed \(seed).") }
    lines += context.notes.map { "note: \($0)" }
    if let disturbance = context.disturbance { lines.append(disturbance) }
    return lines
  }

  /// What the changes are of: time, as the sentences tell it, or other metrics.
  ///
  /// Where more is better a change is that of the inverse, so that all go the same way.
  private static func names(of metrics: [Metric]) -> String {
    var names: [String] = []
    for metric in metrics {
      let name = metric == .wall ? "time" : metric.rawValue
      let own = metric.direction == .higher ? "1/\(name)" : name
      if !names.contains(own) { names.append(own) }
    }
    return names.joined(separator: ", ")
  }

  private static func text(_ pairing: ComparisonDesign.Pairing) -> String {
    switch pairing {
    case .alternating:
      "A pair is a process of its own in which the sides take turns, in random order."
    case .lockStep:
      "A pair is two live processes of their own that take turns, in random order."
    case .processes:
      "A pair is two processes one after the other, in random order, each as its own `bench run` "
        + "measures: the older program knows no other way."
    }
  }
}
