// SPDX-License-Identifier: Apache-2.0

internal import Testing

@testable internal import Harness

@Suite("The recorder of one iteration") struct RecorderTests {
  private func spin(_ nanoseconds: UInt64) {
    let end = MonotonicClock.nanoseconds() + nanoseconds
    while MonotonicClock.nanoseconds() < end { blackHole(1) }
  }

  @Test func phasesSumToWall() throws {
    var recorder = IterationRecorder()
    let before = MonotonicClock.nanoseconds()
    recorder.begin()
    spin(1_000_000)
    recorder.built()
    spin(2_000_000)
    recorder.ran()
    spin(500_000)
    recorder.released()
    let around = MonotonicClock.nanoseconds() - before
    let sample = try #require(recorder.sample(operations: 100))
    #expect(sample.buildNanoseconds >= 1_000_000)
    #expect(sample.runNanoseconds >= 2_000_000)
    #expect(sample.releaseNanoseconds >= 500_000)
    #expect(
      sample.wallNanoseconds
        == sample.buildNanoseconds + sample.runNanoseconds + sample.releaseNanoseconds)
    #expect(sample.wallNanoseconds <= around)
    #expect(sample.cpuNanoseconds > 0)
    #expect(sample.perOperation(sample.wallNanoseconds) == Double(sample.wallNanoseconds) / 100)
  }

  @Test func missingOrMisplacedStampsGiveNoSample() {
    var recorder = IterationRecorder()
    #expect(recorder.sample(operations: 1) == nil)
    recorder.begin()
    recorder.built()
    recorder.ran()
    #expect(recorder.sample(operations: 1) == nil)
    recorder.released()
    #expect(recorder.sample(operations: 1) != nil)
    recorder.built()
    #expect(recorder.sample(operations: 1) == nil)
  }

  @Test func resetForgetsEverything() {
    var recorder = IterationRecorder()
    recorder.begin()
    recorder.built()
    recorder.ran()
    recorder.released()
    recorder.latency(nanoseconds: 1)
    recorder.queueDelay(nanoseconds: 2)
    recorder.value("steals", 3)
    recorder.reset()
    #expect(recorder.sample(operations: 1) == nil)
    #expect(recorder.latencies.isEmpty && recorder.queueDelays.isEmpty && recorder.values.isEmpty)
  }

  @Test func aValueThatIsNoNumberIsAFault() async {
    await #expect(processExitsWith: .failure) {
      var recorder = IterationRecorder()
      recorder.value("efficiency", .nan)
    }
  }
}
