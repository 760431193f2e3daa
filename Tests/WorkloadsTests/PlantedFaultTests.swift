// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Scheduling
import Testing

@testable import Workloads

/// The check of every workload finds a body that was skipped, one that ran twice, and an edge that
/// is missing or that nobody heeds, each at a place drawn from a seed.
///
/// A workload without a proof fails: its bodies leave no mark that asks for a `PlantedFault`. What
/// cannot be planted is said here, by name and with the reason.
@Suite(.serialized, .enabled(if: PlantedFault.isPossible, "a release build has no planted faults"))
struct PlantedFaultTests {
  /// The seed of all places; `BENCH_PLANTED_SEED` sets another.
  private static let seed =
    ProcessInfo.processInfo.environment["BENCH_PLANTED_SEED"].flatMap { UInt64($0) } ?? 1

  /// Sizes at which all faults are planted: `real` takes minutes in a debug build.
  private static let sizes: [AxisSize] =
    ProcessInfo.processInfo.environment["BENCH_LONG_TESTS"] == "1"
    ? AxisSize.allCases : [.smoke, .quick]

  /// Every operation is cancelled before it may run: there is no body to be skipped.
  ///
  /// No edge holds anything back either. What can go wrong is a body that runs.
  private static let withoutBodies = ["cancel", "cancel-waiting", "cancel-cascade"]

  /// A case of the catalogue.
  struct Case: Sendable, CustomTestStringConvertible {
    var description: WorkloadDescription
    var size: AxisSize
    /// Values of axes other than the built-in ones.
    var values: [(axis: String, value: AxisValue)] = []

    var testDescription: String {
      ([description.name, size.rawValue] + values.map { "\($0.axis)=\($0.value)" })
        .joined(separator: " ")
    }

    func makeWorkload() throws -> any Workload {
      var parameters = description.parameters(at: size)
      for (axis, value) in values { parameters.set(axis, to: value) }
      return try description.make(parameters)
    }
  }

  private static func cases(where isWanted: (String) -> Bool = { _ in true }) -> [Case] {
    sizes.flatMap { size in
      WorkloadCatalog.all.filter { isWanted($0.name) }.map { Case(description: $0, size: size) }
    }
  }

  /// Graphs that the built-in values of a workload do not have.
  private static let furtherGraphs: [Case] = WorkloadCatalog.all.flatMap { description -> [Case] in
    switch description.name {
    case "pending": [Case(description: description, size: .smoke, values: [("graph", "yes")])]
    case "task-bench", "graph-task-bench":
      TaskBenchGrid.Pattern.allCases.filter { $0 != .trivial && $0 != .noComm }
        .map {
          Case(description: description, size: .smoke, values: [("pattern", .word($0.rawValue))])
        }
    default: []
    }
  }

  /// Runs one iteration of a new workload under a fault; the error is the answer that it gave.
  private func answer(
    of tested: Case, under fault: PlantedFault, holding job: Int? = nil
  ) throws -> WrongAnswer? {
    let workload = try tested.makeWorkload()
    let scheduler = HoldingScheduler(holding: job, telling: fault)
    var recorder = IterationRecorder()
    // A body that waits for what was skipped must not take ten minutes.
    return TimedIteration.$patience.withValue(.seconds(20)) {
      PlantedFault.$current.withValue(fault) {
        do throws(WrongAnswer) {
          try workload.iterate(on: scheduler, recorder: &recorder)
          return nil
        } catch { return error }
      }
    }
  }

  /// Counts bodies and edges of a run without a fault, whose answer must be right.
  private func honestRun(of tested: Case) throws -> PlantedFault {
    let honest = PlantedFault(.none)
    let answer = try answer(of: tested, under: honest)
    #expect(answer == nil, "without a fault: \(answer?.message ?? "")")
    return honest
  }

  /// A place below `count`, drawn for a case.
  private func place(below count: Int, for tested: Case, _ salt: UInt64) -> Int {
    let name = tested.description.name.utf8.reduce(UInt64(salt)) { $0 &* 31 &+ UInt64($1) }
    return Int(uniform(Self.seed &+ name, count) * Double(count))
  }

  @Test(arguments: cases { !withoutBodies.contains($0) })
  func aBodyThatIsSkippedOrRunsTwiceIsAWrongAnswer(tested: Case) throws {
    let bodies = try honestRun(of: tested).bodies
    try #require(
      bodies > 0, "no body of \(tested.description.name) leaves a mark that can be planted")
    for (salt, kind) in [PlantedFault.Kind.skippedBody, .doubledBody].enumerated() {
      var report = ""
      let isFound = try (0..<Self.tries(of: tested)).contains { attempt in
        let place = place(below: bodies, for: tested, UInt64(10 * attempt + salt))
        let fault = PlantedFault(kind, at: place)
        let answer = try answer(of: tested, under: fault)
        report += "\(kind) at \(place) of \(bodies), happened: \(fault.hasHappened); "
        return fault.hasHappened && answer != nil
      }
      #expect(isFound, "\(report)seed \(Self.seed)")
    }
  }

  /// Where threads cancel at their own times, a run may have fewer bodies than the one before, and
  /// a body that is skipped may belong to an operation that is cancelled meanwhile, which is right.
  private static func tries(of tested: Case) -> Int {
    tested.description.name == "cancel-storm" ? 20 : 1
  }

  @Test(arguments: cases() + furtherGraphs)
  func anEdgeThatIsMissingOrUnheededIsAWrongAnswer(tested: Case) throws {
    let name = tested.description.name
    let hasEdges =
      tested.description.tags.contains("dependency") && !Self.withoutBodies.contains(name)
    var edges = try honestRun(of: tested).edges
    // Of the graphs that it makes the first one checks the order; the second one is timed.
    if name == "metg" { edges /= 2 }
    #expect((edges > 0) == (hasEdges || !tested.values.isEmpty), "\(edges) edges of \(name)")
    guard edges > 0 else { return }
    for (salt, kind) in [PlantedFault.Kind.missingEdge, .unheededEdge].enumerated() {
      let place = place(below: edges, for: tested, UInt64(7 + salt))
      let fault = PlantedFault(kind, at: place)
      var answer = try answer(of: tested, under: fault)
      #expect(fault.hasHappened)
      if answer == nil {
        // The predecessor was soon enough by chance; now it runs last.
        let job = try #require(fault.jobOfPredecessor, "\(kind) \(place) of \(edges)")
        answer = try self.answer(of: tested, under: PlantedFault(kind, at: place), holding: job)
      }
      #expect(answer != nil, "\(kind) \(place) of \(edges), seed \(Self.seed)")
    }
  }

  /// A cancelled body has run: its mark is there.
  @Test(arguments: sizes) func aCancelledBodyThatRanIsAWrongAnswer(size: AxisSize) throws {
    for name in Self.withoutBodies {
      let description = try #require(WorkloadCatalog.all.first { $0.name == name })
      let tested = Case(description: description, size: size)
      #expect(try honestRun(of: tested).bodies == 0, "\(name) has bodies that run")
      let workload = try tested.makeWorkload()
      let storage =
        (workload as? Cancel)?.storage ?? (workload as? CancelGraph)?.storage
      let slots = try #require(storage?.slots)
      slots.increment(place(below: workload.operationsPerIteration, for: tested, 0))
      var recorder = IterationRecorder()
      let scheduler = HoldingScheduler(telling: PlantedFault(.none))
      #expect(throws: WrongAnswer.self, "\(name)") {
        try workload.iterate(on: scheduler, recorder: &recorder)
      }
    }
  }

  @Test func marksAreWhatTheyAreWithoutAFault() throws {
    let storage = try SlotStorage(count: 3)
    for (kind, runs) in [(PlantedFault.Kind.skippedBody, UInt32(0)), (.doubledBody, 2), (.none, 1)]
    {
      let fault = PlantedFault(kind, at: 1)
      storage.overwrite(1, with: 0)
      PlantedFault.$current.withValue(fault) {
        storage.slots.increment(0)
        #expect(storage.slots.increment(1) == 1)
      }
      #expect(storage.slots.value(1) == runs && fault.bodies == 2)
    }
  }
}
