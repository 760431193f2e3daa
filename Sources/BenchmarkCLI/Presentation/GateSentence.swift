// SPDX-License-Identifier: Apache-2.0

internal import Gate
internal import Results
internal import Statistics

/// What a gate says of one subject, in words.
struct GateSentence {
  let member: GateMember
  /// Comparisons that are judged together.
  let family: Int

  /// `chain on work-stealing, wall: 9.8 % to 10.9 % worse than the base; allowed are 1 %`.
  var text: String {
    [finding, certainty].filter { !$0.isEmpty }.joined(separator: "; ")
  }

  /// Which, by how much, and against what.
  var finding: String {
    let subject = member.subject.text
    let reference = Self.reference(member.rule, unit: member.subject.figure.metric.unit)
    switch member.standing {
    case .regression: return "\(subject): \(amount) \(reference.worse)"
    case .improvement: return "\(subject): \(amount) \(reference.better)"
    case .held: return "\(subject): \(reference.held)\(changes)"
    case .open:
      let hidden = member.couldHide.map { "could hide \(UnitFormatter.percent(max(0, $0)))" }
      return "\(subject): not settled\(changes); \(hidden ?? "too few pairs to say anything")"
    }
  }

  /// How sure: pairs with their p-value, or repetitions.
  var certainty: String {
    switch member.grounds {
    case .counts: return "counted, so not by chance"
    case .pairs(let judged):
      var parts = ["\(judged.outcome.pairs) pairs"]
      switch member.standing {
      case .regression, .improvement:
        parts.append(
          Self.probability(judged.adjustedPValue)
            + (family > 1 ? " among \(family) comparisons" : ""))
      case .held: break
      case .open:
        if let pairs = judged.outcome.pairsToSettle, pairs <= Self.mostPairs {
          parts.append("about \(pairs) would settle it")
        }
      }
      return parts.joined(separator: ", ")
    }
  }

  /// The change, as the metric itself goes; empty without one.
  var change: String { range.map { UnitFormatter.change($0.value) } ?? "" }

  /// The plain interval of the change; empty without one.
  var interval: String {
    guard let range, let low = range.low, let high = range.high else { return "" }
    return "\(UnitFormatter.change(low)) to \(UnitFormatter.change(high))"
  }

  /// What is allowed: `+1 %`, or `500 ns`.
  var allowed: String {
    switch member.rule {
    case .tolerance(let fraction): return "\(UnitFormatter.percent(fraction)) worse"
    case .limit(let limit):
      return UnitFormatter.text(limit, unit: member.subject.figure.metric.unit)
    }
  }

  /// More than anybody measures.
  private static let mostPairs = 100_000

  /// Candidate by reference in the direction of the metric.
  private var range: (value: Double, low: Double?, high: Double?)? {
    guard let ratio = member.ratio else { return nil }
    let interval: Interval? =
      if case .pairs(let judged) = member.grounds { judged.outcome.ratio.interval } else { nil }
    guard member.subject.figure.metric.direction == .higher else {
      return (ratio, interval?.low, interval?.high)
    }
    return (1 / ratio, interval.map { 1 / $0.high }, interval.map { 1 / $0.low })
  }

  private var changes: String {
    let shown = interval.isEmpty ? change : interval
    return shown.isEmpty ? "" : ", \(shown)"
  }

  /// How far from the reference, as a range where there is one.
  private var amount: String {
    if case .counts(let base, let candidate) = member.grounds {
      let unit = member.subject.figure.metric.unit
      let now = UnitFormatter.text(candidate.value, unit: unit)
      return base.map { "\(UnitFormatter.text($0.value, unit: unit)) → \(now)," } ?? "\(now),"
    }
    return interval.isEmpty ? change : interval
  }

  private static func reference(_ rule: GateMember.Rule, unit: String)
    -> (worse: String, better: String, held: String)
  {
    switch rule {
    case .tolerance(let fraction):
      let share = UnitFormatter.percent(fraction)
      return (
        "against the base, which is worse by more than the \(share) allowed",
        "against the base, which is better", "no worse than allowed"
      )
    case .limit(let limit):
      let bound = UnitFormatter.text(limit, unit: unit)
      return ("against the limit of \(bound), which is worse", "", "within the limit of \(bound)")
    }
  }

  /// `p = 0.0004`.
  static func probability(_ value: Double) -> String {
    guard value >= 0.0001 else { return "p < 0.0001" }
    return "p = \(UnitFormatter.fixed(value, digits: value < 0.001 ? 4 : 3))"
  }
}
