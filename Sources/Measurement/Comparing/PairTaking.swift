// SPDX-License-Identifier: Apache-2.0

/// Whoever can take pairs of one group: all that the pairings differ in.
///
/// A pair measures every side once, in random order, in a process or processes that end with the
/// pair: pairs then share nothing, so that exchanging the sides of one is as likely as not when
/// they are equal, whatever a process, its layout or the order of construction does to them.
package protocol PairTaking {
  /// Fixes what all pairs have in common: how often a program runs for one sample, and how many
  /// samples there are.
  mutating func calibrate() throws(PairFailure) -> Calibration

  /// Takes one pair, counted from 1, of the base and those candidates.
  ///
  /// - Returns: one measurement per side.
  mutating func take(
    pair: Int, sides: [Int], calibration: Calibration
  ) throws(PairFailure) -> [SideMeasurement]
}

/// What one side of a pair measured.
package struct SideMeasurement: Sendable {
  /// 0 for the base.
  package let side: Int
  /// Which of the pair's processes measured it, counted from 0.
  package let process: Int
  /// Its samples; complete.
  package var outcome: MeasurementOutcome

  package init(side: Int, process: Int, outcome: MeasurementOutcome) {
    self.side = side
    self.process = process
    self.outcome = outcome
  }
}

/// Why a pair, or the calibration before it, has no figure.
package struct PairFailure: Error, Hashable, Sendable {
  /// The side that failed; nil when it was none of them alone.
  package let side: Int?
  package let failure: MeasurementFailure

  package init(side: Int?, _ failure: MeasurementFailure) {
    self.side = side
    self.failure = failure
  }
}

/// What all pairs of a group have in common: both sides do identical work.
package struct Calibration: Hashable, Sendable {
  /// Runs of the program for one sample.
  package let runs: Int
  /// Samples of each side in a pair.
  package let samples: Int
  /// What a pair is expected to take, in seconds.
  package let pairSeconds: Double

  package init(runs: Int, samples: Int, pairSeconds: Double) {
    self.runs = runs
    self.samples = samples
    self.pairSeconds = pairSeconds
  }

  /// Runs that warm a side up before its first sample: as long as a sample.
  package var warmups: Int { runs }

  /// Runs before every sample that are not timed, which wake the threads up; none where one run is
  /// a sample.
  package var turnWarmups: Int { runs > 1 ? 1 : 0 }

  /// A sample of the faster side takes so many steps of the clock at least.
  static let clockSteps = 1000.0

  /// - Parameters:
  ///   - runNanoseconds: what one run of the program took each side.
  ///   - launchSeconds: what starting and ending the processes of a pair took.
  ///   - sampling: what samples should take.
  ///   - clockStep: the smallest difference that the clock shows, in nanoseconds.
  init(
    runNanoseconds: [Double], launchSeconds: Double, sampling: ComparisonPlan.Sampling,
    clockStep: Double
  ) {
    let slowest = max(1, runNanoseconds.max() ?? 1)
    let fastest = max(1, runNanoseconds.min() ?? 1)
    let wanted = max(sampling.sampleNanoseconds / slowest, Self.clockSteps * clockStep / fastest)
    let runs = min(max(1, wanted.rounded(.up)), 1_000_000)
    let fitting = (sampling.sideNanoseconds / (runs * slowest)).rounded()
    let samples = min(max(Int(fitting), sampling.count.lowerBound), sampling.count.upperBound)
    let turns = runNanoseconds.reduce(0) { sum, nanoseconds in
      sum + nanoseconds * runs * Double(samples + 1)
    }
    let rests = Double(samples * runNanoseconds.count) * Self.restSeconds
    self.init(
      runs: Int(runs), samples: samples, pairSeconds: launchSeconds + turns / 1e9 + rests)
  }

  /// What it takes until the threads of a side sleep.
  private static let restSeconds = 0.0005
}
