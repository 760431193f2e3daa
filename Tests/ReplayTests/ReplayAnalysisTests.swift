// SPDX-License-Identifier: Apache-2.0

import Harness
import TaskGraphFiles
import Testing

@testable import Replay

/// Hand-made graphs whose figures are known.
@Suite struct ReplayAnalysisTests {
  /// 0 → {1, 2} → 3 with durations 10, 20, 30, 40.
  private func diamond(scale: Double = 1) throws -> ReplayGraph {
    try ReplayGraph(.diamond(), settings: ReplaySettings(timeScale: scale))
  }

  @Test func workAndCriticalPathOfADiamond() throws {
    let graph = try diamond()
    let (work, criticalPath) = graph.workAndCriticalPath(durations: graph.durations)
    #expect(work == 100)
    #expect(criticalPath == 80)
  }

  @Test func durationsAreScaledAndRounded() throws {
    #expect(try diamond(scale: 2.5).durations == [25, 50, 75, 100])
    #expect(try diamond(scale: 0.05).durations == [1, 1, 2, 2])
  }

  @Test func theDefaultScaleKeepsTheDurations() throws {
    let graph = try ReplayGraph(.diamond(), settings: ReplaySettings())
    #expect(graph.timeScale == 1)
    #expect(graph.durations == [10, 20, 30, 40])
    #expect(graph.edgeCount == 4)
  }

  @Test func aGraphWithoutWorkKeepsItsZeros() throws {
    let graph = try ReplayGraph(
      .make(durations: [0, 0], parents: [[], [0]]), settings: ReplaySettings())
    #expect(graph.timeScale == 1)
    #expect(graph.durations == [0, 0])
  }

  @Test func moreThanAHundredYearsAreRefused() {
    #expect(throws: WorkloadError.self) {
      try ReplayGraph(.diamond(), settings: ReplaySettings(timeScale: 1e300))
    }
  }

  @Test func aPerfectReplayOnTwoWorkersHasEfficiencyOne() throws {
    let record = ReplayRecord(
      submission: 1000, starts: [1000, 1010, 1010, 1040], finishes: [1010, 1030, 1040, 1080],
      runs: [1, 1, 1, 1])
    let report = try ReplayAnalysis.report(diamond(), record, workers: 2, measured: false)
    #expect(report.makespan == 80)
    #expect(report.work == 100)
    #expect(report.criticalPath == 80)
    #expect(report.efficiency == 1)
    #expect(report.efficiencyIdeal == 1)
    #expect(report.queueDelays == [0, 0, 0, 0])
  }

  @Test func readyIsTheLatestFinishOfTheParents() throws {
    let record = ReplayRecord(
      submission: 1000, starts: [1005, 1020, 1040, 1075], finishes: [1015, 1040, 1070, 1115],
      runs: [1, 1, 1, 1])
    let report = try ReplayAnalysis.report(diamond(), record, workers: 1, measured: false)
    #expect(report.queueDelays == [5, 5, 25, 5])
    #expect(report.makespan == 115)
    #expect(abs(report.efficiency - 100.0 / 115) < 1e-12)
    #expect(report.efficiencyIdeal == 1)
  }

  @Test func measuredDurationsReplaceTheRecordedOnesWhenAskedFor() throws {
    let record = ReplayRecord(
      submission: 0, starts: [0, 20, 20, 80], finishes: [20, 60, 80, 160], runs: [1, 1, 1, 1])
    let recorded = try ReplayAnalysis.report(diamond(), record, workers: 2, measured: false)
    #expect(recorded.work == 100 && recorded.criticalPath == 80)
    #expect(recorded.efficiency == 0.5)
    let measured = try ReplayAnalysis.report(diamond(), record, workers: 2, measured: true)
    #expect(measured.work == 200 && measured.criticalPath == 160)
    #expect(measured.efficiency == 1)
  }

  @Test func theIdealCountsWhatEvenAFreeScheduleLoses() throws {
    // Three tasks of 10 on two workers: no schedule is shorter than 20, the bound is 15.
    let graph = try ReplayGraph(
      .make(durations: [10, 10, 10], parents: [[], [], []]), settings: ReplaySettings(timeScale: 1))
    let record = ReplayRecord(
      submission: 0, starts: [0, 0, 10], finishes: [10, 10, 20], runs: [1, 1, 1])
    let report = try ReplayAnalysis.report(graph, record, workers: 2, measured: false)
    #expect(report.efficiencyIdeal == 0.75)
    #expect(report.efficiency == 0.75)
  }

  @Test(arguments: [[0, 1, 1, 1], [1, 1, 1, 2]] as [[UInt32]])
  func aTaskThatRanNotExactlyOnceIsAWrongAnswer(runs: [UInt32]) throws {
    let graph = try diamond()
    let record = ReplayRecord(
      submission: 1000, starts: [1000, 1010, 1010, 1040], finishes: [1010, 1030, 1040, 1080],
      runs: runs)
    #expect(throws: WrongAnswer.self) {
      try ReplayAnalysis.report(graph, record, workers: 2, measured: false)
    }
  }

  @Test func aTaskThatStartedBeforeOneOfItsParentsFinishedIsAWrongAnswer() throws {
    let graph = try diamond()
    let record = ReplayRecord(
      submission: 1000, starts: [1000, 1010, 1010, 1039], finishes: [1010, 1030, 1040, 1080],
      runs: [1, 1, 1, 1])
    #expect(throws: WrongAnswer.self) {
      try ReplayAnalysis.report(graph, record, workers: 2, measured: false)
    }
  }

  @Test func aRootThatStartedBeforeItsSubmissionIsAWrongAnswer() throws {
    let graph = try diamond()
    let record = ReplayRecord(
      submission: 1001, starts: [1000, 1010, 1010, 1040], finishes: [1010, 1030, 1040, 1080],
      runs: [1, 1, 1, 1])
    #expect(throws: WrongAnswer.self) {
      try ReplayAnalysis.report(graph, record, workers: 2, measured: false)
    }
  }
}

extension TaskGraph {
  /// A graph from lists.
  static func make(durations: [Int64], parents: [[Int32]]) throws -> TaskGraph {
    let tasks = zip(durations, parents).enumerated().map { index, task in
      Task(name: "task \(index)", durationNanoseconds: task.0, parents: task.1)
    }
    return try TaskGraph(name: "hand-made", source: .dot, tasks: tasks, path: "hand-made.dot")
  }

  /// 0 → {1, 2} → 3 with durations 10, 20, 30, 40.
  static func diamond() throws -> TaskGraph {
    try make(durations: [10, 20, 30, 40], parents: [[], [0], [0], [1, 2]])
  }
}
