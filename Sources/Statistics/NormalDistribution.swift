// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The probability that a standard normal figure exceeds `z`.
func upperNormalTail(_ z: Double) -> Double {
  erfc(z / 2.0.squareRoot()) / 2
}

/// The standard normal figure that is exceeded with probability `tail`, for `tail` up to one half.
///
/// Bisection on `upperNormalTail`: exact to the last bits, and there is no rational approximation
/// to trust. About 60 evaluations.
func upperNormalQuantile(tail: Double) -> Double {
  var low = 0.0
  var high = 40.0  // beyond the largest figure whose tail is a normal double
  while true {
    let middle = (low + high) / 2
    if middle <= low || middle >= high { return middle }
    if upperNormalTail(middle) > tail { low = middle } else { high = middle }
  }
}

/// The standard normal figure below which lies the probability `p`, strictly between 0 and 1.
func normalQuantile(_ p: Double) -> Double {
  p <= 0.5 ? -upperNormalQuantile(tail: p) : upperNormalQuantile(tail: 1 - p)
}
