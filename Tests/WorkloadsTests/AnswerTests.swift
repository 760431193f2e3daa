// SPDX-License-Identifier: Apache-2.0

import Harness
import Scheduling
import Testing

@testable import Workloads

@Suite struct AnswerTests {
  @Test(arguments: WorkloadCatalog.all.map(\.name), TestScheduler.allCases)
  func everyWorkloadGivesItsAnswerOnEveryScheduler(name: String, kind: TestScheduler) throws {
    let description = try #require(WorkloadCatalog.all.first { $0.name == name })
    let workload = try description.make(description.parameters(at: .smoke))
    let scheduler = kind.make(workers: 2)
    defer { scheduler.shutDown() }
    for _ in 0..<3 {
      var recorder = IterationRecorder()
      try workload.iterate(on: scheduler, recorder: &recorder)
      let sample = try #require(recorder.sample(operations: workload.operationsPerIteration))
      #expect(sample.wallNanoseconds > 0)
      let reported = Set(recorder.samples.map(\.metric) + recorder.values.map(\.metric))
      #expect(reported.allSatisfy { description.metrics.contains($0) || $0.hasPrefix("x-") })
      // Nothing runs any more when it is cancelled, on some schedulers.
      guard !description.tags.contains("cancellation") else { continue }
      #expect(description.metrics.isSubset(of: reported), "\(description.metrics)")
    }
  }

  /// A token on its way from one queue to another leaves both quiet for a moment.
  @Test(arguments: ["ping-pong", "actors"], TestScheduler.allCases)
  func tokensBetweenQueuesAreWaitedFor(name: String, kind: TestScheduler) throws {
    let description = try #require(WorkloadCatalog.all.first { $0.name == name })
    let workload = try description.make(description.parameters(at: .quick))
    let scheduler = kind.make(workers: 2)
    defer { scheduler.shutDown() }
    for _ in 0..<5 {
      var recorder = IterationRecorder()
      try workload.iterate(on: scheduler, recorder: &recorder)
    }
  }

  @Test(
    arguments: ["n:1", "n:2", "n:3"],
    [
      "independent", "chain", "wavefront", "cancel", "graph-chain", "graph-wavefront",
    ])
  func theSmallestSizesWork(parameters: String, name: String) throws {
    let description = try #require(WorkloadCatalog.all.first { $0.name == name })
    let workload = try description.make(try #require(Parameters(canonical: parameters)))
    var recorder = IterationRecorder()
    try workload.iterate(on: TestScheduler.inline.make(workers: 1), recorder: &recorder)
    #expect(recorder.sample(operations: 1) != nil)
  }

  @Test(arguments: [0, 1, 2, 3, 7]) func smallForkJoinsWork(argument: Int) throws {
    for workload: any Workload in [
      ForkJoin(argument: argument), try ForkJoinStack(argument: argument),
    ] {
      var recorder = IterationRecorder()
      try workload.iterate(on: TestScheduler.inline.make(workers: 1), recorder: &recorder)
      #expect(recorder.sample(operations: 1) != nil)
    }
  }

  @Test(arguments: WorkloadCatalog.all.map(\.name))
  func aSchedulerThatLosesJobsGivesAWrongAnswer(name: String) throws {
    let description = try #require(WorkloadCatalog.all.first { $0.name == name })
    let workload = try description.make(description.parameters(at: .smoke))
    // Cancelled operations leave the queue together, through its first jobs; the others submit one,
    // which brings the rest.
    let submitsOne = [
      "cancel", "graph-chain", "graph-wavefront", "fork-join-stack", "cancel-waiting",
      "cancel-cascade", "limit",
    ]
    let scheduler = LosingScheduler(keeping: submitsOne.contains(name) ? 0 : 2)
    var recorder = IterationRecorder()
    TimedIteration.$patience.withValue(.milliseconds(50)) {
      #expect(throws: WrongAnswer.self) {
        try workload.iterate(on: scheduler, recorder: &recorder)
      }
    }
  }

  @Test(arguments: [(199, UInt32(0)), (0, 2), (100, 7)])
  func aBodyThatRanTheWrongNumberOfTimesIsAWrongAnswer(slot: Int, runs: UInt32) throws {
    let chain = try Chain(operations: 200)
    let scheduler = TestScheduler.inline.make(workers: 1)
    var recorder = IterationRecorder()
    try chain.iterate(on: scheduler, recorder: &recorder)
    chain.storage.overwrite(slot, with: runs)
    recorder.reset()
    #expect(throws: WrongAnswer.self) {
      try chain.iterate(on: scheduler, recorder: &recorder)
    }
  }

  @Test func aCancelledBodyThatRanIsAWrongAnswer() throws {
    let cancel = try Cancel(operations: 20)
    cancel.storage.slots.increment(7)
    var recorder = IterationRecorder()
    #expect(throws: WrongAnswer.self) {
      try cancel.iterate(on: TestScheduler.inline.make(workers: 1), recorder: &recorder)
    }
  }

  @Test func aLayeredGraphWithMorePredecessorsThanItsWidthIsRefused() {
    #expect(throws: WorkloadError.self) {
      try LayeredGraph(layers: 2, width: 2, degree: 3, seed: 1)
    }
  }
}
