// SPDX-License-Identifier: Apache-2.0

/// What the processor counts over iterations that nobody times.
///
/// `begin` and `end` stand around what is counted, in turn. One thread.
struct HardwareTotals {
  private let counters: HardwareCounters
  private var early: HardwareCounters.Readings
  private var late: HardwareCounters.Readings
  private var sums: HardwareCounters.Readings
  private var operations = 0

  init(_ counters: HardwareCounters) {
    self.counters = counters
    early = counters.emptyReadings()
    late = early
    sums = early
  }

  /// Just before what is counted.
  mutating func begin() { counters.read(into: &early) }

  /// Just behind it.
  mutating func end() { counters.read(into: &late) }

  /// Adds what was counted between the last two.
  mutating func add(operations more: Int) {
    operations += more
    for place in sums.indices {
      sums[place] = sums[place].flatMap { sum in
        early[place].flatMap { from in late[place].map { sum + ($0 - from) } }
      }
    }
  }

  /// Every event per operation, or why it has no figure.
  ///
  /// One that was counted for some of the time has none: a figure would be a guess.
  var figures: [(event: HardwareEvent, figure: Result<Double, CounterRefusal>)] {
    zip(HardwareEvent.allCases, sums).map { event, sum in
      let figure = sum.flatMap { sum -> Result<Double, CounterRefusal> in
        guard operations > 0, sum.countedNanoseconds > 0,
          sum.countedNanoseconds == sum.wantedNanoseconds
        else { return .failure(.shared) }
        return .success(Double(sum.value) / Double(operations))
      }
      return (event, figure)
    }
  }
}
