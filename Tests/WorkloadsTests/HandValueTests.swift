// SPDX-License-Identifier: Apache-2.0

import Harness
import Operations
import Scheduling
import Testing

@testable import Workloads

/// What workloads compute of times and draws, against values found by hand.
struct HandValueTests {
  // MARK: Priorities

  @Test func inversionIsTheTimeAfterALowerOneBegan() {
    // low 0 → 30, normal 5 → 60, high 10 → 100: the high one waits 70 after the low one began, the
    // normal one 30.
    let score = PriorityScore(
      priorities: [.low, .normal, .high], submitted: [0, 5, 10], started: [30, 60, 100])
    #expect(score.inversion == 100)
    #expect(score.oldestWait == 90)
  }

  @Test func whatBeganBeforeTheSubmissionIsNoInversion() {
    let score = PriorityScore(
      priorities: [.veryLow, .veryHigh, .veryHigh], submitted: [0, 10, 20],
      started: [10, 40, 50])
    #expect(score.inversion == 0)
    #expect(score.oldestWait == 30)
  }

  @Test func equalsDoNotInvertEachOther() {
    let score = PriorityScore(
      priorities: [.normal, .normal], submitted: [0, 1], started: [50, 20])
    #expect(score.inversion == 0 && score.oldestWait == 50)
  }

  // MARK: Arrivals

  @Test func constantArrivalsKeepTheirInterval() {
    let process = ArrivalProcess(kind: .constant, interval: 250, seed: 7)
    #expect(process.times(4) == [0, 250, 500, 750])
  }

  @Test func poissonArrivalsHaveTheMeanAndTheSpreadOfAnExponential() {
    let process = ArrivalProcess(kind: .poisson, interval: 1000, seed: 3)
    let times = process.times(20_001)
    let gaps = zip(times.dropFirst(), times).map { Double($0 - $1) }
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
    // Four standard errors: 1000 / √20000 of the mean, and √8 as much of the deviation.
    #expect(abs(mean - 1000) < 29, "\(mean)")
    #expect(abs(variance.squareRoot() - 1000) < 60, "\(variance.squareRoot())")
    #expect(times == process.times(20_001))
    #expect(times != ArrivalProcess(kind: .poisson, interval: 1000, seed: 4).times(20_001))
  }

  @Test func burstsAreTenAtOnceAtTheSameRate() {
    let process = ArrivalProcess(kind: .bursty, interval: 100, seed: 5)
    let times = process.times(20_000)
    for start in stride(from: 0, to: times.count, by: ArrivalProcess.burst) {
      #expect(Set(times[start..<start + ArrivalProcess.burst]).count == 1)
    }
    #expect(Set(times).count == 2000)
    let mean = Double(times[times.count - 1]) / 1999
    // Four standard errors of 1999 exponentials with mean 1000.
    #expect(abs(mean - 1000) < 90, "\(mean)")
  }

  // MARK: Open loop

  @Test func latencyIsFromTheIntendedSubmission() {
    let times = OpenLoopTimes(
      intended: [100, 200], submitted: [100, 260], started: [110, 250], finished: [])
    #expect(times.latency(0) == 10 && times.uncorrectedLatency(0) == 10)
    // One that begins before its submission returns waits for nothing.
    #expect(times.latency(1) == 50 && times.uncorrectedLatency(1) == 0)
  }

  /// Coordinated omission: a submitter that stalls does not see what it makes others wait.
  ///
  /// Source: G. Tene, How NOT to Measure Latency.
  @Test func aStallShowsInTheCorrectedPercentileAlone() throws {
    // 2000 a second: the stall delays 40 of 2000, and the p99 is the 20th of them.
    let workload = try OpenLoopLatency(
      ArrivalProcess(kind: .constant, interval: 500_000, seed: 1), count: 2000, hold: 1000,
      stall: 20_000_000)
    var recorder = IterationRecorder()
    try workload.iterate(on: InlineScheduler(), recorder: &recorder)
    let corrected = Self.p99(recorder.latencies)
    let uncorrected = Self.p99(recorder.samples(of: "latency-uncorrected"))
    #expect(uncorrected < corrected / 10, "\(uncorrected) ns of \(corrected) ns")
  }

  private static func p99(_ values: [UInt64]) -> UInt64 {
    values.sorted()[values.count * 99 / 100]
  }

  // MARK: Running bodies

  @Test func moreBodiesThanAllowedAreCounted() {
    let count = RunningCount()
    count.within(1) {}
    #expect(count.finding == nil)
    count.within(1) { count.within(1) {} }
    #expect(count.finding?.hasPrefix("1 bodies") == true)
  }

  @Test func aBodyBesideABarrierIsCounted() {
    let count = RunningCount()
    count.alone {}
    #expect(count.finding == nil)
    count.within(2) { count.alone {} }
    #expect(count.finding?.contains("2 barriers") == true)
  }
}
