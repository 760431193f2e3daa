// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The regularised incomplete beta function of x with parameters a and b, and its complement.
///
/// The probability that a figure of the beta distribution is at most x. By Lentz's evaluation of
/// the continued fraction on the side where it converges fast; both parts are returned so that
/// neither loses digits to subtraction. Takes positive parameters and 0 <= x <= 1. The relative
/// error grows with the parameters: below 1e-12 up to a thousand, below 1e-9 up to a million.
/// O(√max(a, b)).
/// Source: NIST Digital Library of Mathematical Functions, 8.17(v), https://dlmf.nist.gov/8.17.v.
func incompleteBeta(a: Double, b: Double, x: Double) -> (lower: Double, upper: Double) {
  if x <= 0 { return (0, 1) }
  if x >= 1 { return (1, 0) }
  if x > (a + 1) / (a + b + 2) {
    let mirrored = incompleteBeta(a: b, b: a, x: 1 - x)
    return (mirrored.upper, mirrored.lower)
  }
  let lower = min(1, exp(logBetaWeight(a: a, b: b, x: x)) / a * betaFraction(a: a, b: b, x: x))
  return (lower, 1 - lower)
}

/// The logarithm of x^a (1 - x)^b divided by the beta function of a and b.
///
/// Written with what Stirling's formula leaves over, so that large parameters do not cancel.
/// Source: Loader, Fast and Accurate Computation of Binomial Probabilities, 2000.
private func logBetaWeight(a: Double, b: Double, x: Double) -> Double {
  let sum = a + b
  let main = a * log(x * sum / a) + b * log((1 - x) * sum / b)
  let rest = log(a / sum * b / (2 * .pi)) / 2
  return main + rest + stirlingRemainder(sum) - stirlingRemainder(a) - stirlingRemainder(b)
}

/// What the logarithm of the gamma function exceeds Stirling's formula by, for positive z.
private func stirlingRemainder(_ z: Double) -> Double {
  if z < 16 {
    // The recurrence of the gamma function moves to where the series has converged.
    return stirlingRemainder(z + 1) + (z + 0.5) * log1p(1 / z) - 1
  }
  let square = 1 / (z * z)
  let series = 1.0 / 1260 - square * (1.0 / 1680 - square / 1188)
  return (1.0 / 12 - square * (1.0 / 360 - square * series)) / z
}

private func betaFraction(a: Double, b: Double, x: Double) -> Double {
  let tiny = 1e-300
  var c = 1.0
  var d = 1 / nonZero(1 - (a + b) * x / (a + 1), tiny)
  var value = d
  var m = 1.0
  while true {
    let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / nonZero(1 + even * d, tiny)
    c = nonZero(1 + even / c, tiny)
    value *= d * c
    let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / nonZero(1 + odd * d, tiny)
    c = nonZero(1 + odd / c, tiny)
    value *= d * c
    if (d * c - 1).magnitude < 1e-15 { return value }
    m += 1
    guard m < 1e6 else {
      fatalError("incompleteBeta: no convergence at a \(a), b \(b), x \(x); expected within 1e6")
    }
  }
}

private func nonZero(_ figure: Double, _ tiny: Double) -> Double {
  figure.magnitude < tiny ? tiny : figure
}
