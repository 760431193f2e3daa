// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Harness

/// What the primitives cost on this machine now, measured: the scale for reading every other
/// figure.
package struct MachineFigures: Sendable {
  /// One read of the clock, in nanoseconds.
  package var clockCostNanoseconds: Double
  /// The smallest difference that the clock shows, in nanoseconds.
  package var clockStepNanoseconds: UInt64
  /// The wall time that an iteration without any work shows, in nanoseconds.
  package var emptyBenchNanoseconds: UInt64
  /// From a wake on one thread to the first instruction of the other, in nanoseconds; nil without a
  /// second thread.
  package var wakeUpNanoseconds: Int64?
  /// Work of two spinning threads over the work of one in the same time; nil without a second
  /// thread.
  ///
  /// 2 on two free cores; near 1 on two siblings of one core or one shared CPU. Every figure for
  /// two workers hangs on it.
  package var twoThreadSpeedup: Double?

  /// Figures that are at hand; see the properties.
  package init(
    clockCostNanoseconds: Double, clockStepNanoseconds: UInt64, emptyBenchNanoseconds: UInt64,
    wakeUpNanoseconds: Int64?, twoThreadSpeedup: Double?
  ) {
    self.clockCostNanoseconds = clockCostNanoseconds
    self.clockStepNanoseconds = clockStepNanoseconds
    self.emptyBenchNanoseconds = emptyBenchNanoseconds
    self.wakeUpNanoseconds = wakeUpNanoseconds
    self.twoThreadSpeedup = twoThreadSpeedup
  }

  /// Measures them all; some 0.3 s, with two busy threads.
  package static func measure() -> MachineFigures {
    let wakeUp = shim_wakeup_cost_ns(201)
    return MachineFigures(
      clockCostNanoseconds: clockCost(), clockStepNanoseconds: clockStep(),
      emptyBenchNanoseconds: emptyBench(), wakeUpNanoseconds: wakeUp < 0 ? nil : wakeUp,
      twoThreadSpeedup: speedup(threads: 2))
  }

  /// Work of so many spinning threads over the work of one in the same time, measured: some 0.2 s.
  ///
  /// - Returns: nil where a thread cannot be started.
  package static func speedup(threads: Int) -> Double? {
    let speedup = shim_thread_speedup(Int32(clamping: threads), 5, 20_000_000)
    return speedup < 0 ? nil : speedup
  }

  /// The figures that every result hangs on, a line each.
  var lines: [String] {
    let speedup = twoThreadSpeedup.map {
      "two spinning threads did \(decimal($0, digits: 2)) times the work of one"
    }
    let wakeUp = wakeUpNanoseconds.map {
      "waking a thread takes \(decimal(Double($0) / 1000, digits: 1)) µs"
    }
    return [
      speedup ?? "one CPU: no second thread to compare with", wakeUp,
      "reading the clock takes \(decimal(clockCostNanoseconds, digits: 1)) ns",
    ].compactMap(\.self)
  }

  /// Measures what one read of a clock costs by that clock, in nanoseconds; some 0.6 ms.
  package static func clockCost(
    _ clock: () -> UInt64 = { MonotonicClock.nanoseconds() }
  ) -> Double {
    let reads = 20_000
    let start = clock()
    for _ in 0..<reads { blackHole(UInt(truncatingIfNeeded: clock())) }
    return Double(clock() - start) / Double(reads)
  }

  /// Measures the smallest difference that a clock shows, in nanoseconds; some 0.3 ms.
  package static func clockStep(
    _ clock: () -> UInt64 = { MonotonicClock.nanoseconds() }
  ) -> UInt64 {
    var smallest = UInt64.max
    var last = clock()
    for _ in 0..<10_000 {
      let now = clock()
      if now > last { smallest = min(smallest, now - last) }
      last = now
    }
    return smallest
  }

  private static func emptyBench() -> UInt64 {
    var recorder = IterationRecorder()
    var walls: [UInt64] = []
    for _ in 0..<501 {
      recorder.reset()
      recorder.begin()
      recorder.built()
      recorder.ran()
      recorder.released()
      if let sample = recorder.sample(operations: 1) { walls.append(sample.wallNanoseconds) }
    }
    return walls.sorted()[walls.count / 2]
  }
}
