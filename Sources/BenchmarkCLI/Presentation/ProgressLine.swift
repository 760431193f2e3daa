// SPDX-License-Identifier: Apache-2.0

package import Measurement

/// The line on stderr that says what is being measured and how long it still takes.
///
/// Rewrites itself in place; writes nothing at all when it is off.
package struct ProgressLine {
  private let isOn: Bool
  private let write: (String) -> Void
  private var isVisible = false

  /// - Parameters:
  ///   - isOn: true only on a terminal that can rewrite a line.
  ///   - write: puts text on stderr as it is.
  package init(isOn: Bool, write: @escaping (String) -> Void) {
    self.isOn = isOn
    self.write = write
  }

  /// Whether a progress line may appear: stderr is a terminal, and nobody refused.
  package static func isWanted(
    request: RunRequest, environment: [String: String], isTerminal: Bool
  ) -> Bool {
    isTerminal && request.showsProgress && !request.quiet && environment["TERM"] != "dumb"
  }

  /// Replaces the line.
  package mutating func show(_ text: String) {
    guard isOn else { return }
    write("\r\u{1B}[2K\(text.prefix(79))")
    isVisible = true
  }

  /// Removes the line, so that other text can be written.
  package mutating func clear() {
    guard isVisible else { return }
    write("\r\u{1B}[2K")
    isVisible = false
  }

  /// `chain, pair 7 of at most 80, 12 s left at most`.
  package static func text(for event: ComparisonDriver.Event, plan: ComparisonPlan) -> String? {
    func place(_ group: Int) -> String {
      "[\(group + 1)/\(plan.groups.count)] \(plan.groups[group].point.benchmark)"
    }
    switch event {
    case .calibrating(let group): return "\(place(group)), calibrating"
    case .pair(let group, let pair, let most, let left):
      return "\(place(group)), pair \(pair) of at most \(most), "
        + "\(UnitFormatter.countdown(seconds: left)) left at most"
    case .failed: return nil
    }
  }

  /// `dispatch, pair 3 of 10, 4 s left of them`; how long is known once a pair has ended.
  package static func text(
    for subject: String, pair: Int, of pairs: Int, elapsed: Duration
  ) -> String {
    let place = "\(subject), pair \(pair + 1) of \(pairs)"
    guard pair > 0 else { return place }
    let left = elapsed / .seconds(pair) * Double(pairs - pair)
    return "\(place), \(UnitFormatter.countdown(seconds: left)) left of them"
  }

  /// `[ 37/288] chain n=512, dispatch, round 2 of 8, 48 s left`.
  package static func text(for event: Orchestrator.Event, plan: MeasurementPlan) -> String? {
    if case .countingAllocations(let group, let contestant) = event {
      let planned = plan.groups[group]
      return "\(planned.benchmark), \(planned.contestants[contestant].label), counting allocations"
    }
    guard
      case .starting(let group, let contestant, let round, let done, let total, let left) = event
    else { return nil }
    let planned = plan.groups[group]
    let width = String(total).count
    let number = String(done + 1)
    let padded = String(repeating: " ", count: max(0, width - number.count)) + number
    return "[\(padded)/\(total)] \(planned.benchmark), \(planned.contestants[contestant].label), "
      + "round \(round + 1) of \(plan.rounds), \(UnitFormatter.countdown(seconds: left)) left"
  }
}
