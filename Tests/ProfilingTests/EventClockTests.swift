// SPDX-License-Identifier: Apache-2.0

import ConcurrencyPrimitives
import Testing
import Traces

@testable import Profiling

/// How ticks become nanoseconds.
@Suite struct EventClockTests {
  typealias Moment = EventClock.Moment
  typealias Calibration = EventClock.Calibration

  @Test func theWholeLengthSaysHowLongATickIs() {
    let begin = Calibration(
      first: Moment(ticks: 1_000, nanoseconds: 500), last: Moment(ticks: 2_000, nanoseconds: 1_000))
    let end = Calibration(
      first: Moment(ticks: 2_001_000, nanoseconds: 1_000_000),
      last: Moment(ticks: 2_001_000 + 1_000, nanoseconds: 1_000_500 + 500))
    let scale = TickScale(from: begin, to: end)
    #expect(abs(scale.nanosecondsPerTick - 1_000_500 / 2_001_000.0) < 1e-12)
    #expect(scale.nanoseconds(0) == 0)
    #expect(scale.nanoseconds(2_001_000) == 1_000_500)
  }

  @Test func calibrationsThatDifferAreDrift() {
    let begin = Calibration(
      first: Moment(ticks: 0, nanoseconds: 0), last: Moment(ticks: 1_000, nanoseconds: 1_000))
    let end = Calibration(
      first: Moment(ticks: 9_000, nanoseconds: 9_000),
      last: Moment(ticks: 10_000, nanoseconds: 10_010))
    let drift = TickScale(from: begin, to: end).driftPerNanosecond
    #expect(abs(drift - 0.01 / 1.001) < 1e-9)
  }

  @Test func theMonotonicClockCountsNanoseconds() {
    let clock = EventClock(kind: .monotonic)
    #expect(!clock.usesCounter)
    #expect(
      clock.end() == TickScale(nanosecondsPerTick: 1, driftPerNanosecond: 0))
  }

  @Test(arguments: [
    ("tsc", true), ("kvm-clock", true), ("arch_sys_counter", true), ("hpet", false),
    ("acpi_pm", false), ("jiffies", false), ("", false),
  ])
  func aSourceThatIsNotTheCounterIsNotTrusted(_ source: String, _ isTrusted: Bool) {
    #expect(EventClock.trusts(source: source) == isTrusted)
  }

  @Test func theCounterAgreesWithTheMonotonicClock() {
    let clock = EventClock()
    guard clock.usesCounter else { return }
    let start = MonotonicTime.nanoseconds()
    let scale = clock.end()
    // The calibration takes its time; both clocks have seen it.
    #expect(MonotonicTime.nanoseconds() > start)
    #expect(scale.nanosecondsPerTick > 0.05 && scale.nanosecondsPerTick < 100)
    #expect(scale.driftPerNanosecond < 0.05)
  }

  @Test func theSkewIsBoundedWhereThereAreSeveralProcessors() {
    guard EventClock().usesCounter else { return }
    // A bound of a second would say nothing; a busy machine may leave it unknown.
    if let bound = ClockSkew.bound() { #expect(bound < 10_000_000_000) }
  }
}
