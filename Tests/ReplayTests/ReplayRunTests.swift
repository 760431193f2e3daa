// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Scheduling
import TaskGraphFiles
import Testing
import WorkStealingBackend

@testable import Replay

@Suite struct ReplayRunTests {
  /// A seeded graph in file order that is not a topological order: parents may come later.
  private func randomGraph(seed: UInt64, count: Int) throws -> TaskGraph {
    var state = seed
    func draw(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let parents = (0..<count).map { index in
      let later = count - 1 - index
      guard later > 0 else { return [Int32]() }
      return Set((0..<3).map { _ in Int32(index + 1 + draw(later)) }).sorted()
    }
    let durations = (0..<count).map { _ in Int64(draw(2000)) }
    return try .make(durations: durations, parents: parents)
  }

  @Test(arguments: ReplayBody.allCases, [1, 2, 3] as [UInt64])
  func aReplayRunsEveryTaskAfterItsParents(body: ReplayBody, seed: UInt64) throws {
    let replay = try GraphReplay(
      randomGraph(seed: seed, count: 100), settings: ReplaySettings(timeScale: 1, body: body))
    for scheduler in [InlineScheduler(), WorkStealingScheduler(workers: 2)] as [any Scheduler] {
      var recorder = IterationRecorder()
      try replay.iterate(on: scheduler, recorder: &recorder)
      #expect(recorder.sample(operations: replay.operationsPerIteration) != nil)
      #expect(Set(recorder.values.map(\.metric)).union(["queue-delay"]) == GraphReplay.metrics)
      #expect(recorder.queueDelays.count == 100)
      scheduler.shutDown()
    }
  }

  @Test func spinningBodiesTakeAtLeastTheirDurations() throws {
    let graph = try TaskGraph.make(
      durations: [300_000, 0, 200_000], parents: [[], [0], [1]])
    let replay = try GraphReplay(graph, settings: ReplaySettings(timeScale: 1))
    var recorder = IterationRecorder()
    try replay.iterate(on: InlineScheduler(), recorder: &recorder)
    let values = Dictionary(uniqueKeysWithValues: recorder.values.map { ($0.metric, $0.value) })
    #expect(try #require(values["makespan"]) >= 500_000)
    #expect(values["tasks"] == 3)
    #expect(values["edges"] == 2)
    #expect(values["work"] == 500_000)
    #expect(values["critical-path"] == 500_000)
    #expect(values["efficiency-ideal"] == 1)
    #expect(try #require(values["efficiency"]) <= 1)
  }

  @Test func calibratedWorkGrowsWithItsDuration() {
    let work = CalibratedWork.calibrate()
    #expect(work.stepsPerNanosecond > 0)
    let times = [1000, 4_000_000].map { nanoseconds in
      let start = MonotonicClock.nanoseconds()
      work.spend(nanoseconds: Int64(nanoseconds))
      return MonotonicClock.nanoseconds() - start
    }
    #expect(times[1] > times[0])
    #expect(times[1] > 1_000_000)
  }

  @Test func settingsSurviveTheWayThroughAnAssignment() throws {
    for settings in [
      ReplaySettings(), ReplaySettings(timeScale: 0.001, body: .work),
      ReplaySettings(timeScale: 1.0 / 3.0), ReplaySettings(namesOperations: true),
    ] {
      #expect(try ReplaySettings(extra: settings.extra) == settings)
    }
    #expect(try ReplaySettings(extra: ["other": "1"]) == ReplaySettings())
  }

  @Test(arguments: [
    ["time-scale": "0"], ["time-scale": "-1"], ["time-scale": "nan"], ["time-scale": "inf"],
    ["time-scale": "fast"], ["time-scale": ""], ["body": "sleep"], ["body": ""],
  ])
  func badSettingsAreRefused(extra: [String: String]) {
    #expect(throws: WorkloadError.self) { try ReplaySettings(extra: extra) }
  }

  @Test func aBuiltInWorkloadIsNoReplay() {
    let assignment = Assignment(
      subject: .workload("chain"), system: .scheduler("inline"), workers: 1, seed: 1)
    #expect(throws: WorkloadError.self) { try GraphReplay.workload(for: assignment) }
  }

  @Test func aGraphThatIsNoLongerTheSameIsRefused() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).dot")
    defer { try? FileManager.default.removeItem(at: file) }
    func write(_ text: String) throws { try Data(text.utf8).write(to: file) }
    try write("digraph { a [duration=0.1]; b [duration=0.2]; a -> b }")
    let graph = try TaskGraphFile.load(path: file.path)
    let assignment = Assignment(
      subject: .graph(path: file.path), system: .scheduler("inline"), workers: 1, seed: 1,
      extra: ["graph": graph.fingerprint])
    #expect(try GraphReplay.workload(for: assignment).operationsPerIteration == 2)
    // The text may differ, what it says may not.
    try write("digraph { a [duration=0.1] /* the same */; b [duration=0.20]; a -> b; a -> b }")
    #expect(try GraphReplay.workload(for: assignment).operationsPerIteration == 2)
    for other in [
      "digraph { a [duration=0.1]; b [duration=0.2] }",
      "digraph { a [duration=0.1]; b [duration=0.2]; b -> a }",
      "digraph { a [duration=0.1]; b [duration=0.3]; a -> b }",
      "digraph { a [duration=0.1]; c [duration=0.2]; a -> c }",
    ] {
      try write(other)
      do {
        _ = try GraphReplay.workload(for: assignment)
        Issue.record("\(other)")
      } catch {
        #expect(error.message.contains("not the one that the run began with"), "\(error)")
      }
    }
  }

  @Test func aMissingFileIsReportedAndNotACrash() {
    let assignment = Assignment(
      subject: .graph(path: "/nowhere/graph.dot"), system: .scheduler("inline"), workers: 1, seed: 1
    )
    #expect(throws: WorkloadError.self) { try GraphReplay.workload(for: assignment) }
  }
}
