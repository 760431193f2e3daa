// SPDX-License-Identifier: Apache-2.0

import Harness
import Operations
import Scheduling
import Testing

@testable import BenchmarkKit

/// A program that runs so many empty operations and does what it is told with its stamps.
struct Counted: BenchmarkProgram {
  enum Behaviour { case right, wrong, withoutRan }

  let operations: Int
  var behaviour = Behaviour.right

  var operationsPerIteration: Int { operations }

  func iterate(on scheduler: any Scheduler, _ stamps: inout IterationStamps) throws {
    let queue = OperationQueue(scheduler: scheduler)
    stamps.built()
    for _ in 0..<operations { queue.addOperation {} }
    queue.waitUntilAllOperationsAreFinished()
    if behaviour != .withoutRan { stamps.ran() }
    stamps.released()
    stamps.latency(nanoseconds: 7)
    stamps.value("x-tables", 3)
    if behaviour == .wrong { throw UnexpectedAnswer("4; expected 5") }
  }
}

/// A program of somebody else, as the suite runs it.
@Suite struct AddedWorkloadTests {
  private struct TooMany: Error {}

  private func description(
    _ make: @escaping BenchmarkWorkload.Make
  ) -> WorkloadDescription {
    BenchmarkWorkload(
      name: "counted", summary: "of the tests",
      axes: [
        WorkloadAxis("n", summary: "operations", quick: 10, real: 20),
        WorkloadAxis("form", summary: "how", words: ["plain", "nested"]),
      ],
      iterationSeconds: { Double($0["n"]) * 2 }, make: make
    ).description
  }

  private func workload(_ behaviour: Counted.Behaviour) throws -> any Workload {
    let description = description { parameters in
      #expect(parameters.word("form") == "plain")
      return Counted(operations: parameters["n"], behaviour: behaviour)
    }
    #expect(description.iterationSeconds?(description.parameters(at: .real)) == 40)
    return try description.make(description.parameters(at: .quick))
  }

  @Test func whatAnIterationReportsIsRecordedAgainAndAgain() throws {
    let workload = try workload(.right)
    #expect(workload.operationsPerIteration == 10)
    var recorder = IterationRecorder()
    for _ in 0..<3 {
      recorder.reset()
      try workload.iterate(on: InlineScheduler(), recorder: &recorder)
      let sample = try #require(recorder.sample(operations: 10))
      #expect(sample.wallNanoseconds > 0 && sample.runNanoseconds > 0)
      #expect(recorder.latencies == [7])
      #expect(recorder.values.map(\.metric) == ["x-tables"])
    }
  }

  @Test func whatItThrowsIsAWrongAnswerWithItsName() throws {
    let workload = try workload(.wrong)
    var recorder = IterationRecorder()
    let error = #expect(throws: WrongAnswer.self) {
      try workload.iterate(on: InlineScheduler(), recorder: &recorder)
    }
    #expect(error?.message == "counted: 4; expected 5")
    #expect(recorder.latencies == [7], "what was reported before is kept")
  }

  @Test func anIterationWithoutAStampHasNoFigure() throws {
    let workload = try workload(.withoutRan)
    var recorder = IterationRecorder()
    try workload.iterate(on: InlineScheduler(), recorder: &recorder)
    #expect(recorder.sample(operations: 10) == nil)
  }

  @Test func whatMakingItThrowsSaysWhyThereIsNone() {
    let description = description { _ in throw TooMany() }
    let error = #expect(throws: WorkloadError.self) {
      try description.make(description.parameters(at: .real))
    }
    #expect(error?.message == "counted: TooMany()")
  }
}
