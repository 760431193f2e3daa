// SPDX-License-Identifier: Apache-2.0

internal import Scheduling
internal import Testing

@testable internal import Harness

/// What measuring adds to what is measured.
@Suite("The cost of measuring", .serialized) struct MeasuringCostTests {
  private static let bodies = 1_000

  /// Work of about a microsecond that no clock ends, so that it is the same work every time.
  private func body(_ turns: Int) { for turn in 0..<turns { blackHole(UInt(bitPattern: turn)) } }

  /// Turns of a body that takes about a microsecond here.
  private func turnsOfAMicrosecond() -> Int {
    let turns = 1_000_000
    let fastest = (0..<5).map { _ in nanoseconds { body(turns) } }.min() ?? 1
    return max(1, turns * 1_000 / Int(max(fastest, 1)))
  }

  private func nanoseconds(_ work: () -> Void) -> UInt64 {
    let start = MonotonicClock.nanoseconds()
    work()
    return MonotonicClock.nanoseconds() - start
  }

  /// Median ratio of the bodies inside a recorded iteration, there longer by so much, to the same
  /// bodies alone, in pairs of random order.
  private func ratio(pairs: Int, longerBy percent: Int = 0) -> Double {
    let turns = turnsOfAMicrosecond()
    var recorder = IterationRecorder()
    var totals = IterationTotals(counters: SchedulerCounters())
    func bare() -> UInt64 { nanoseconds { for _ in 0..<Self.bodies { body(turns) } } }
    func recorded() -> UInt64 {
      recorder.reset()
      recorder.begin()
      recorder.built()
      for _ in 0..<Self.bodies {
        body(turns + turns * percent / 100)
      }
      recorder.ran()
      recorder.released()
      totals.add(recorder, operations: Self.bodies)
      return recorder.sample(operations: Self.bodies)?.wallNanoseconds ?? .max
    }
    let ratios = (0..<pairs).map { _ in
      if Bool.random() {
        let first = recorded()
        return Double(first) / Double(bare())
      }
      let first = bare()
      return Double(recorded()) / Double(first)
    }
    return ratios.sorted()[pairs / 2]
  }

  @Test("recording an iteration of bodies of 1 us adds at most 1 %")
  func addsLittle() {
    // Other load moves a median a little; what measuring adds would be there every time.
    let least = (0..<10).lazy.map { _ in ratio(pairs: 101) }.first { $0 <= 1.01 }
    #expect(least != nil)
  }

  @Test("the measure sees bodies that are longer by a twentieth")
  func seesMore() {
    let most = (0..<3).lazy.map { _ in ratio(pairs: 101, longerBy: 5) }.first { $0 > 1.01 }
    #expect(most != nil)
  }
}
