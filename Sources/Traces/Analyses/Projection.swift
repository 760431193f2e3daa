// SPDX-License-Identifier: Apache-2.0

/// What the same graph would take on other numbers of workers.
///
/// `T(P) = T₁/P + (1 − 1/P) · c · S`, with the burdened span S, and never less than the span. T₁
/// holds the work and the overhead of every operation. c is fitted to this run where it had several
/// workers; on one worker the term is zero whatever c is, and Cilkscale's constant stands in.
/// Source: T. B. Schardl et al., The Cilkprof Scalability Profiler, SPAA 2015,
/// doi:10.1145/2755573.2755603.
package struct Projection: Sendable, Equatable {
  /// One number of workers.
  package struct Point: Sendable, Equatable {
    package let workers: Int
    /// By the formula, ns.
    package let bound: Int64
    /// By list scheduling of the recorded graph, ns; nil where nobody scheduled it.
    package let scheduled: Int64?
  }

  /// T₁, ns.
  package let serial: Int64
  /// The span without any burden, ns.
  package let span: Int64
  /// S, ns.
  package let burdenedSpan: Int64
  /// c.
  package let constant: Double
  /// c was fitted to this run.
  package let isFitted: Bool
  /// The projected numbers of workers, in powers of two and the recorded one.
  package let points: [Point]

  /// Stands in for c where a run cannot tell it.
  package static let usualConstant = 1.7

  /// Fits and projects.
  ///
  /// `schedule` list-schedules the graph on a number of workers.
  init(
    workers: Int, makespan: Int64, work: Int64, overheadPerOperation: Int64?, operations: Int,
    span: Int64, burdenedSpan: Int64, schedule: ((_ workers: Int) -> Int64)?
  ) {
    let count = Double(max(1, workers))
    let serial =
      workers <= 1 ? makespan : work + (overheadPerOperation ?? 0) * Int64(operations)
    let denominator = (1 - 1 / count) * Double(burdenedSpan)
    isFitted = denominator > 0
    // A run that was faster than its share of the work leaves nothing for the span.
    constant =
      denominator > 0
      ? max(0, (Double(makespan) - Double(serial) / count) / denominator) : Self.usualConstant
    self.serial = serial
    self.span = span
    self.burdenedSpan = burdenedSpan
    var numbers = (0...Self.doublings).map { 1 << $0 }
    if !numbers.contains(workers), workers > 0 { numbers.append(workers) }
    let constant = constant
    func bound(_ workers: Int) -> Int64 {
      Self.bound(serial, burdenedSpan, constant: constant, workers: workers, least: span)
    }
    points = numbers.sorted().map { number in
      Point(
        workers: number,
        bound: bound(number),
        scheduled: schedule?(number))
    }
  }

  private static let doublings = 6

  /// The formula, ns.
  package func bound(workers: Int) -> Int64 {
    Self.bound(serial, burdenedSpan, constant: constant, workers: workers, least: span)
  }

  private static func bound(
    _ serial: Int64, _ burdenedSpan: Int64, constant: Double, workers: Int, least: Int64
  ) -> Int64 {
    let share = 1 / Double(max(1, workers))
    let time = Int64(
      (Double(serial) * share + (1 - share) * constant * Double(burdenedSpan)).rounded())
    return max(time, least)
  }
}
