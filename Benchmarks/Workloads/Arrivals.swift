// SPDX-License-Identifier: Apache-2.0

internal import Operations

/// One operation of an open loop: when it is meant to be submitted, how urgent it is, and how long
/// its body takes.
struct Arrival: Sendable {
  /// Nanoseconds after the start of the run.
  var time: UInt64
  var priority = Operation.QueuePriority.normal
  /// Nanoseconds for which the body holds its worker.
  var hold: UInt64
  /// Which of the queues, from 0.
  var queue = 0
}

/// When operations are meant to be submitted, drawn from a seed before anything runs.
package struct ArrivalProcess: Sendable {
  /// How the times lie.
  package enum Kind: String, CaseIterable, Sendable {
    /// One interval between all.
    case constant
    /// Exponential intervals.
    case poisson
    /// Groups of ten at once, at exponential intervals that keep the rate.
    case bursty
  }

  /// Operations of a burst.
  static let burst = 10

  let kind: Kind
  /// Mean interval of operations, in nanoseconds.
  let interval: Double
  let seed: UInt64

  /// The times of the first `count` operations, ascending, in nanoseconds from 0 on.
  func times(_ count: Int) -> [UInt64] {
    var now = 0.0
    return (0..<count).map { index in
      defer {
        switch kind {
        case .constant: now += interval
        case .poisson: now += interval * drawn(index)
        case .bursty where index % Self.burst == Self.burst - 1:
          now += interval * Double(Self.burst) * drawn(index)
        case .bursty: break
        }
      }
      return UInt64(now)
    }
  }

  /// An exponential number of mean 1 for a place.
  private func drawn(_ index: Int) -> Double { exponential(seed, index) }
}

/// An exponential number of mean 1, the same for the same seed and place.
func exponential(_ seed: UInt64, _ index: Int) -> Double {
  -logarithm(1 - uniform(seed, index))
}

/// A number on [0, 1), the same for the same seed and place.
func uniform(_ seed: UInt64, _ index: Int) -> Double {
  Double(TaskBenchGrid.mixed(TaskBenchGrid.mixed(seed) ^ UInt64(index)) >> 11) * 0x1p-53
}
