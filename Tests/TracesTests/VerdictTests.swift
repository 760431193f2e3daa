// SPDX-License-Identifier: Apache-2.0

import Testing
import Traces

@Suite struct VerdictTests {
  private func verdict(_ change: (inout ListScheduledRun) -> Void) -> TraceVerdict {
    var run = ListScheduledRun()
    change(&run)
    return TraceReport(run.trace()).verdict
  }

  @Test(arguments: ListScheduledRun.Plant.allCases.filter { $0 != .barriers })
  func theSentenceNamesThePlantedCause(plant: ListScheduledRun.Plant) {
    let verdict = verdict { $0.plant = plant }
    #expect(verdict.finding == .waiting(plant.cause))
    #expect(verdict.sentence.contains("try "))
    #expect(verdict.sentence.contains(" % of the waiting is "))
  }

  @Test func barriersAreNamedOnlyWhereTheyCostWorkersTheirJobs() {
    // Without anything to wait for, batches of many operations keep two workers busy.
    #expect(verdict { $0.plant = .barriers }.finding == .work)
    // Many workers stand idle at the end of every batch.
    let costly = verdict {
      $0.plant = .barriers
      $0.workers = 50
      $0.run = 1_000...100_000
    }
    #expect(costly.finding == .waiting(.barrier), "\(costly.sentence)")
  }

  @Test func aRunThatIsBusyIsWork() {
    #expect(verdict { _ in }.finding == .work)
  }

  @Test func moreWorkersAreAdvisedOnlyWhereTheGraphHasRoomForThem() {
    var wide = HandTrace(workers: 1)
    wide.startWorkers()
    wide.trace.names.append("long")
    wide.run(on: 0, from: 0, to: 100, ready: 0) { $0.name = 1 }
    wide.run(on: 0, from: 100, to: 150, ready: 0)
    #expect(
      TraceReport(wide.sorted).verdict.sentence == "Workers had jobs for 100 % of their time,"
        + " which leaves little to another scheduler; try more than 1 worker, since the graph has a"
        + " parallelism of 1.5, or less work, first of all in \"long\", which takes 67 % of it.")
    var chain = HandTrace(workers: 1)
    chain.startWorkers()
    let first = chain.run(on: 0, from: 0, to: 100, ready: 0)
    chain.run(on: 0, from: 100, to: 150, ready: 100, after: [first])
    #expect(
      TraceReport(chain.sorted).verdict.sentence
        == "Workers had jobs for 100 % of their time, which"
        + " leaves little to another scheduler; try less work: the graph has a parallelism of 1, so"
        + " that more than 1 worker would change little.")
  }

  @Test func aChainIsTheGraphs() throws {
    var hand = HandTrace(workers: 4)
    hand.startWorkers()
    for worker in 1..<4 { hand.event(1, worker, .park) }
    var last: [UInt32] = []
    for index in 0..<50 {
      let start = Int64(index) * 1_000 + 10
      let ready = Int64(index) * 1_000
      last = [hand.run(on: 0, from: start, to: start + 980, ready: ready, after: last)]
    }
    let verdict = TraceReport(hand.sorted).verdict
    #expect(verdict.finding == .graph)
    #expect(
      verdict.sentence == "Workers had no job for 75 % of their time because nothing was ready; try"
        + " to shorten the chain of 50 operations that takes 98 % of the run.")
  }

  /// The last of ten operations is added at 9 000 of 9 060 ns, and the run hangs on that alone.
  @Test func aProgramThatAddsLateIsToldSo() throws {
    var hand = HandTrace(workers: 2)
    hand.startWorkers()
    hand.event(1, 1, .park)
    for index in 0..<10 {
      let added = Int64(index) * 1_000
      let operation = hand.run(on: 0, from: added + 10, to: added + 60, ready: added)
      hand.trace.operations[Int(operation)].created = added
      hand.trace.operations[Int(operation)].enqueued = added
    }
    let verdict = TraceReport(hand.sorted).verdict
    #expect(verdict.finding == .graph)
    #expect(
      verdict.sentence.hasSuffix(
        "because nothing was ready; try to add operations earlier: for 99 % of the run the next one"
          + " had not been added."), "\(verdict.sentence)")
  }

  @Test func aPerturbedRunNamesNoCause() {
    let run = ListScheduledRun(plant: .wakesNobody)
    let trace = run.trace()
    let large = Perturbation(ratio: 1.23, low: 1.19, high: 1.26)
    let report = TraceReport(trace, perturbation: large)
    #expect(report.verdict.finding == .none)
    #expect(report.verdict.sentence.contains("23 % longer (19 to 26 %)"))
    #expect(report.verdict.sentence.hasSuffix("make the operations larger."))
    #expect(report.graph != nil)
    let noisy = TraceReport(trace, perturbation: Perturbation(ratio: 1.2, low: 0.96, high: 1.72))
    #expect(noisy.verdict.finding == .none)
    #expect(noisy.verdict.sentence.hasSuffix("profile again when that is quieter."))
    let small = Perturbation(ratio: 1.14, low: 1.1, high: 1.18)
    #expect(TraceReport(trace, perturbation: small).verdict.finding == .waiting(.nobodyAwake))
  }

  @Test func droppedEventsNameTheSizeNeeded() {
    var trace = ListScheduledRun().trace()
    trace.header.droppedEvents = 12
    trace.header.neededRingEvents = 65_536
    let verdict = TraceReport(trace).verdict
    #expect(verdict.finding == .none)
    #expect(verdict.sentence.contains("65536 events"))
  }
}
