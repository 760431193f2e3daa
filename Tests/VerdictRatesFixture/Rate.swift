// SPDX-License-Identifier: Apache-2.0

import Statistics

/// One line of the table: how often something happened, and how often it should.
struct Rate {
  let name: String
  let rate: BinomialRate
  /// What the rate should be; nil where a line is there for comparison.
  let goal: ClosedRange<Double>?

  init(_ name: String, goal: ClosedRange<Double>?, cases: Int, _ happens: () -> Bool) {
    self.name = name
    self.goal = goal
    var successes = 0
    for _ in 0..<cases where happens() { successes += 1 }
    rate = BinomialRate(successes: successes, cases: cases)
  }

  /// Whether the goal lies within what the cases allow: their exact 95 % interval meets it.
  var isReached: Bool {
    guard let goal else { return true }
    return rate.interval.low <= goal.upperBound && rate.interval.high >= goal.lowerBound
  }

  /// The line: name, rate, interval, cases, goal.
  var line: String {
    let interval = "\(percent(rate.interval.low))–\(percent(rate.interval.high)) %"
    var line = padded(name, 47) + padded("\(percent(rate.rate)) %", 9) + padded(interval, 16)
    line += "of \(rate.cases)"
    if let goal {
      let bound =
        goal.lowerBound == 0
        ? "at most \(percent(goal.upperBound)) %"
        : goal.upperBound == 1
          ? "at least \(percent(goal.lowerBound)) %"
          : "\(percent(goal.lowerBound))–\(percent(goal.upperBound)) %"
      line += "; goal \(bound)" + (isReached ? "" : "  MISSED")
    }
    return line
  }

  private func percent(_ share: Double) -> String {
    let hundredths = Int((share * 10_000).rounded())
    let fraction = hundredths % 100
    return "\(hundredths / 100)"
      + (fraction == 0 ? "" : fraction % 10 == 0 ? ".\(fraction / 10)" : ".\(two(fraction))")
  }

  private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
