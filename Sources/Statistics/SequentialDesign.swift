// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The looks of a sequential paired comparison, with the error that each may spend.
///
/// A comparison that looks at its p-value several times and stops at the first one below alpha is
/// wrong more often than alpha says. Here every look has a nominal level of its own. The levels
/// keep fixed proportions and are scaled until the probability of falling below any of them equals
/// alpha when there is no difference. That probability is an integral over Brownian motion at the
/// share of pairs seen, which is how signed-rank statistics of growing samples behave. A plain
/// value; any thread. Sources: Armitage, McPherson and Rowe, Journal of the Royal Statistical
/// Society A 132, 1969; Jennison and Turnbull, Group Sequential Methods with Applications to
/// Clinical Trials, chapter 19.
package struct SequentialDesign: Sendable, Hashable {
  /// The numbers of pairs at which the comparison looks, ascending.
  package let looks: [Int]
  /// The nominal level of each look as a multiple of that of the last.
  package let proportions: [Double]

  /// Looks at 20, 40 and 80 pairs, in the proportions of O'Brien and Fleming's three levels.
  package static let standard = SequentialDesign(
    looks: [20, 40, 80], proportions: [0.0005 / 0.045, 0.014 / 0.045, 1])

  /// Makes a design from its looks and the proportions of their nominal levels.
  ///
  /// Stops the process unless the looks are positive and ascend, and the proportions are as many,
  /// more than 0 and at most 1, the last one 1.
  package init(looks: [Int], proportions: [Double]) {
    let ascends = zip([0] + looks, looks).allSatisfy { $0 < $1 }
    let fits = proportions.count == looks.count && proportions.last == 1
    guard ascends, fits, proportions.allSatisfy({ $0 > 0 && $0 <= 1 }) else {
      fatalError(
        "SequentialDesign: looks \(looks), proportions \(proportions); expected ascending looks "
          + "and as many proportions up to 1, the last one 1")
    }
    self.looks = looks
    self.proportions = proportions
  }

  /// One look, after so many pairs; stops the process unless there is at least one.
  package static func single(pairs: Int) -> SequentialDesign {
    SequentialDesign(looks: [pairs], proportions: [1])
  }

  /// The design with these looks: one look, or the first ones of the standard.
  ///
  /// Nil for other looks, whose proportions would have to be known as well.
  package static func known(looks: [Int]) -> SequentialDesign? {
    if looks.count == 1 { return looks[0] > 0 ? single(pairs: looks[0]) : nil }
    guard !looks.isEmpty, looks == Array(standard.looks.prefix(looks.count)) else { return nil }
    return standard.prefix(looks.count)
  }

  /// The same design with `count` looks at most; the last of them may spend what is left.
  ///
  /// This is how a budget of time shortens a comparison: before it starts, never while it runs.
  package func prefix(_ count: Int) -> SequentialDesign {
    guard count >= 1 else {
      fatalError("SequentialDesign: \(count) looks; expected at least one")
    }
    let kept = min(count, looks.count)
    let last = proportions[kept - 1]
    return SequentialDesign(
      looks: Array(looks.prefix(kept)), proportions: proportions.prefix(kept).map { $0 / last })
  }

  /// The nominal two-sided level of each look for an overall two-sided error of `alpha`.
  ///
  /// Stops the process unless `alpha` lies above 0 and is at most one half. About ten evaluations
  /// of `crossingProbability`, which take milliseconds each: ask once and keep the answer.
  package func levels(alpha: Double) -> [Double] {
    guard alpha > 0, alpha <= 0.5 else {
      fatalError("SequentialDesign: alpha \(alpha); expected more than 0 and at most 0.5")
    }
    var last = alpha
    // The probability is nearly proportional to the level, so that each step gains digits.
    for _ in 0..<60 {
      let scale = alpha / crossingProbability(levels: proportions.map { $0 * last })
      last *= scale
      if (scale - 1).magnitude < 1e-13 { break }
    }
    return proportions.map { $0 * last }
  }

  /// The overall p-value of what the looks so far delivered, one nominal p-value per look.
  ///
  /// The smallest alpha at which one of these looks would have stopped the comparison. It is valid
  /// whenever the comparison stops, and no larger than alpha exactly when a level of `levels` was
  /// reached. Stops the process when there are more p-values than looks. O(looks), milliseconds.
  /// Source: Liu and Anderson, Journal of the American Statistical Association 103, 2008.
  package func pValue(nominal: [Double]) -> Double {
    guard nominal.count <= looks.count, nominal.allSatisfy({ $0 >= 0 && $0 <= 1 }) else {
      fatalError(
        "SequentialDesign: p-values \(nominal) for looks \(looks); expected one at most per look")
    }
    let last = strongest(nominal)
    guard last > 0 else { return 0 }
    guard last < 1 else { return 1 }
    return min(1, crossingProbability(levels: proportions.map { $0 * last }))
  }

  /// The smallest nominal p-value, each in terms of the level of the last look; 1 at most.
  func strongest(_ nominal: [Double]) -> Double {
    zip(nominal, proportions).map { $0 / $1 }.reduce(1, min)
  }

  /// The probability that some look falls below its nominal level when there is no difference.
  ///
  /// Takes one level above 0 and below 1 per look. The density of the process that has not crossed
  /// yet is carried from look to look by Simpson's rule; the relative error stays below 1e-7.
  package func crossingProbability(levels: [Double]) -> Double {
    guard levels.count == looks.count, levels.allSatisfy({ $0 > 0 && $0 < 1 }) else {
      fatalError(
        "SequentialDesign: levels \(levels) for looks \(looks); expected one per look, "
          + "more than 0 and less than 1")
    }
    let final = Double(looks[looks.count - 1])
    var density: HalfDensity?
    var crossed = 0.0
    var before = 0.0
    for (look, level) in zip(looks, levels) {
      let time = Double(look) / final
      let bound = upperNormalQuantile(tail: level / 2) * time.squareRoot()
      if let last = density {
        crossed += last.crossing(bound: bound, variance: time - before)
        if look < looks[looks.count - 1] {
          density = last.advanced(bound: bound, variance: time - before)
        }
      } else {
        crossed += level
        density = HalfDensity(bound: bound, variance: time)
      }
      before = time
    }
    return crossed
  }
}

/// The density of a symmetric process between two bounds, at equidistant points from 0 up.
private struct HalfDensity {
  private static let intervals = 64

  private let step: Double
  private let values: [Double]

  /// The normal density of the first look.
  init(bound: Double, variance: Double) {
    step = bound / Double(Self.intervals)
    let step = step
    values = (0...Self.intervals).map { normalDensity(Double($0) * step, variance: variance) }
  }

  private init(step: Double, values: [Double]) {
    self.step = step
    self.values = values
  }

  /// The probability of being beyond either bound one increment later.
  func crossing(bound: Double, variance: Double) -> Double {
    let deviation = variance.squareRoot()
    return 2
      * integral { point in
        upperNormalTail((bound - point) / deviation) + upperNormalTail((bound + point) / deviation)
      }
  }

  /// The density one increment later, between the new bounds.
  func advanced(bound: Double, variance: Double) -> HalfDensity {
    let newStep = bound / Double(Self.intervals)
    let values = (0...Self.intervals).map { index in
      let target = Double(index) * newStep
      return integral { point in
        normalDensity(target - point, variance: variance)
          + normalDensity(target + point, variance: variance)
      }
    }
    return HalfDensity(step: newStep, values: values)
  }

  /// The integral of a function times the density, from 0 to the bound, by Simpson's rule.
  private func integral(_ function: (Double) -> Double) -> Double {
    var sum = 0.0
    for index in values.indices {
      let isEnd = index == 0 || index == Self.intervals
      let weight = isEnd ? 1.0 : index.isMultiple(of: 2) ? 2 : 4
      sum += weight * values[index] * function(Double(index) * step)
    }
    return sum * step / 3
  }
}

private func normalDensity(_ x: Double, variance: Double) -> Double {
  exp(-x * x / (2 * variance)) / (2 * .pi * variance).squareRoot()
}
