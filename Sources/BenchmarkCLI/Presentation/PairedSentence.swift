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

  /// Which, and by how much: `work-stealing is 1.8 % to 2.4 % slower than thread-pool`.
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
    case .slower where result.metric == .wall:
      return candidate
        + Self.range(interval.low, interval.high, "is", "slower than", "takes", "as long as") + base
    case .faster where result.metric == .wall:
      // Told from 1 up: 2 % faster is the inverse of 2 % slower.
      return candidate
        + Self.range(1 / interval.high, 1 / interval.low, "is", "faster than", "is", "as fast as")
        + base
    case .slower, .faster:
      let isHigher = interval.low > 1
      return "\(metric) of \(candidate)"
        + Self.range(
          isHigher ? interval.low : 1 / interval.high, isHigher ? interval.high : 1 / interval.low,
          "is", isHigher ? "above that of" : "below that of", "is",
          isHigher ? "that of" : "less than that of") + base
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

  /// A range above 1 with its verb: in percent below twice, where factors say less.
  private static func range(
    _ low: Double, _ high: Double, _ verb: String, _ more: String, _ factorVerb: String,
    _ times: String
  ) -> String {
    guard high >= 2 else {
      return
        " \(verb) \(UnitFormatter.percent(low - 1)) to \(UnitFormatter.percent(high - 1)) \(more) "
    }
    return " \(factorVerb) \(UnitFormatter.significant(low)) to \(UnitFormatter.significant(high)) "
      + "times \(times) "
  }
}
