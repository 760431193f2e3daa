// SPDX-License-Identifier: Apache-2.0

import Harness
import NativeGraph
import Synchronization
import Testing
import Workloads

/// The checks behind the answers of reference systems find answers that are wrong.
@Suite struct NativeGraphTests {
  /// A system that runs nothing.
  private static let lazy = NativeGraph.System(
    name: "lazy", build: { _ in 0 }, run: { _, _, _ in }, drop: { _ in })

  @Test(arguments: ["chain", "fan", "wavefront", "layered"])
  func aGraphWithoutRunningNodesIsAWrongAnswer(name: String) throws {
    let description = try #require(WorkloadCatalog.all.first { $0.name == name })
    let program = try #require(NativeGraph.programs(on: Self.lazy)[name])
    let workload = try program.make(description.parameters(at: .smoke))
    var recorder = IterationRecorder()
    let error = try #require(throws: WrongAnswer.self) {
      try workload.iterate(workers: 1, recorder: &recorder)
    }
    #expect(error.message.hasPrefix("\(name) on lazy: "))
    #expect(error.message.contains("each body must run exactly once"))
  }

  @Test func aMissingClosureIsAWrongAnswer() throws {
    let workload = try NativeIndependent(on: "careless", operations: 10) { slots, count, _ in
      for index in 1..<count { slots.increment(index) }
    }
    var recorder = IterationRecorder()
    let error = try #require(throws: WrongAnswer.self) {
      try workload.iterate(workers: 1, recorder: &recorder)
    }
    #expect(error.message.contains("slot 0 holds 0, expected 1"))
  }

  @Test func anotherNumberIsAWrongAnswer() throws {
    let workload = NativeForkJoin(on: "careless", argument: 10) { _, _ in 54 }
    var recorder = IterationRecorder()
    let error = try #require(throws: WrongAnswer.self) {
      try workload.iterate(workers: 1, recorder: &recorder)
    }
    #expect(error.message == "fork-join on careless: 54, expected 55")
  }

  @Test func aBodyThatRunsThoughCancelledIsAWrongAnswer() throws {
    let workload = try NativeCancel(
      on: NativeCancel.System(
        name: "eager",
        build: { slots, _, _ in
          slots.increment(3)
          return 0
        }, run: { _ in }, drop: { _ in }), operations: 5)
    var recorder = IterationRecorder()
    let error = try #require(throws: WrongAnswer.self) {
      try workload.iterate(workers: 1, recorder: &recorder)
    }
    #expect(error.message.hasPrefix("cancel on eager: a cancelled body has run"))
  }

  @Test func theLimitIsHeldAroundTheIteration() throws {
    let events = Mutex<[String]>([])
    let recorded: @Sendable (String) -> Void = { event in events.withLock { $0.append(event) } }
    let workload = try NativeIndependent(
      on: "limited",
      limit: NativeLimit(
        open: { workers in
          recorded("open \(workers)")
          return 7
        }, close: { recorded("close \($0)") }),
      operations: 1
    ) { slots, _, _ in
      recorded("submit")
      slots.increment(0)
    }
    var recorder = IterationRecorder()
    try workload.iterate(workers: 3, recorder: &recorder)
    #expect(events.withLock { $0 } == ["open 3", "submit", "close 7"])
  }
}
