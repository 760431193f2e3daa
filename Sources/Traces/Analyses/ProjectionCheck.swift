// SPDX-License-Identifier: Apache-2.0

/// How well a projection met what was measured on another number of workers.
package struct ProjectionCheck: Sendable, Equatable {
  package let workers: Int
  /// By the formula, corrected, ns.
  package let predicted: Int64
  /// By a schedule with the overhead of the run, corrected, ns.
  package let scheduled: Int64?
  /// By a schedule without any burden, corrected, ns.
  package let unburdened: Int64?
  package let measured: Int64
  /// What as many threads reach together without any scheduler, as a multiple of one.
  package let speedUp: Double

  /// The part by which the formula missed the measured time; negative where that is longer.
  package var error: Double { Self.error(predicted, measured) }
  package var scheduledError: Double? { scheduled.map { Self.error($0, measured) } }
  package var unburdenedError: Double? { unburdened.map { Self.error($0, measured) } }

  /// Compares a projection with a measured makespan.
  ///
  /// `speedUp` is what as many threads of this machine reach together without any scheduler, as a
  /// multiple of one: less than their number where they share cores, caches or memory. All
  /// predictions are longer by the number over that. They are multiplied by `scale` as well, where
  /// the recorded run is not like the others of its kind.
  package init(
    _ projection: Projection, workers: Int, measured: Int64, speedUp: Double,
    scale: Double = 1, scheduled: Int64? = nil, unburdened: Int64? = nil
  ) {
    guard speedUp > 0 else {
      fatalError("ProjectionCheck: speedUp is \(speedUp); expected above 0, 1 for no speed-up")
    }
    let factor = Double(workers) / speedUp * scale
    func corrected(_ time: Int64) -> Int64 { Int64((Double(time) * factor).rounded()) }
    self.workers = workers
    self.measured = measured
    self.speedUp = speedUp
    predicted = corrected(projection.bound(workers: workers))
    self.scheduled = scheduled.map(corrected)
    self.unburdened = unburdened.map(corrected)
  }

  private static func error(_ predicted: Int64, _ measured: Int64) -> Double {
    Double(predicted) / Double(measured) - 1
  }
}
