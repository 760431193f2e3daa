// SPDX-License-Identifier: Apache-2.0

internal import Analysis
internal import Results
internal import Statistics

/// A verdict in words.
struct PairedSentence {
  let result: PairedResult

  /// The sides as sentences name them: with their commits where the code differs.
  var names: (base: String, candidate: String) {
    (Self.name(of: result.base, in: result), Self.name(of: result.candidate, in: result))
  }

  private static func name(of side: ContestantResult, in result: PairedResult) -> String {
    guard result.isOfRevisions else { return side.label }
    let code = side.id.code
    let commit = code.commit.map { String($0.prefix(9)) } ?? code.binary ?? "another build"
    return "\(side.label) at \(commit)\(code.isDirty == true ? " with changes" : "")"
  }

  /// Which, and by how much: `work-stealing takes 1.8 % to 2.4 % more time than thread-pool`.
  ///
  /// Told of the metric itself, never of its inverse, as in the bars: of time, not of speed.
  var finding: String {
    let (base, candidate) = names
    guard let verdict = result.verdict, let outcome = result.outcome else {
      return "no verdict on \(candidate) against \(base): "
        + (result.failure.map(\.text) ?? "no figure")
    }
    guard let interval = result.ratio?.interval else {
      return "inconclusive: \(Self.pairs(outcome.pairs)) \(outcome.pairs == 1 ? "is" : "are") too "
        + "few to compare \(candidate) with \(base)"
    }
    switch verdict {
    case .slower where result.metric == .wall, .faster where result.metric == .wall:
      let time = Self.range(interval, (more: "more time than", less: "less time than"))
      return "\(candidate) takes \(time ?? "\(Self.factors(interval)) times as long as") \(base)"
    case .slower, .faster:
      let share = Self.range(interval, (more: "above that of", less: "below that of"))
      return "\(metric) of \(candidate) is "
        + "\(share ?? "\(Self.factors(interval)) times that of") \(base)"
    case .equivalent:
      let margin = UnitFormatter.percent(result.design.tolerance.equivalence)
      return "\(candidate) and \(base) are equivalent within \(margin)\(of): "
        + Self.changes(interval)
    case .inconclusive:
      return "inconclusive: \(candidate) against \(base)\(of) \(Self.changes(interval))"
    }
  }

  /// How sure: pairs, what they could have shown, and what would settle it.
  var certainty: String {
    guard let outcome = result.outcome else { return "" }
    var parts: [String] = []
    if let effect = outcome.minimumDetectableEffect {
      let least = UnitFormatter.percent(effect)
      parts.append(
        result.verdict == .inconclusive
          ? "differences below \(least) cannot be seen with \(Self.pairs(outcome.pairs))"
          : "\(Self.pairs(outcome.pairs)), which show differences from \(least) up")
    } else {
      parts.append(Self.pairs(outcome.pairs))
    }
    if result.verdict == .inconclusive, let pairs = outcome.pairsToSettle {
      parts.append(
        pairs > Self.mostPairs
          ? "no number of pairs within reach would settle it" : "about \(pairs) would settle it")
    }
    return parts.joined(separator: "; ")
  }

  /// The whole sentence, with the place behind what was found.
  func text(place: String = "") -> String {
    let certainty = certainty
    guard !certainty.isEmpty else { return finding + place }
    return result.verdict == .inconclusive
      ? "\(finding)\(place); \(certainty)" : "\(finding)\(place) (\(certainty))"
  }

  /// More than anybody measures.
  private static let mostPairs = 100_000

  private var metric: String { result.metric.rawValue }
  private var of: String { result.metric == .wall ? "" : " in \(metric)" }

  private static func pairs(_ count: Int) -> String { "\(count) pair\(count == 1 ? "" : "s")" }

  private static func changes(_ interval: Interval) -> String {
    "\(UnitFormatter.change(interval.low)) to \(UnitFormatter.change(interval.high))"
  }

  /// A range on one side of 1 in percent of the base; nil from twice on and from half down, where
  /// factors say more.
  ///
  /// As the bars and `UnitFormatter.change` tell it: 20 % less is -20 %.
  private static func range(_ interval: Interval, _ words: (more: String, less: String)) -> String?
  {
    guard interval.low > 0.5, interval.high < 2 else { return nil }
    let ends = [interval.low - 1, interval.high - 1].map(\.magnitude).sorted()
    return "\(UnitFormatter.percent(ends[0])) to \(UnitFormatter.percent(ends[1])) "
      + (interval.low > 1 ? words.more : words.less)
  }

  private static func factors(_ interval: Interval) -> String {
    "\(UnitFormatter.significant(interval.low)) to \(UnitFormatter.significant(interval.high))"
  }
}
