// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gate
import Harness
import Measurement
import Results
import Testing

@testable import Counting

/// Real counts under valgrind, of a program whose operations cost as much more as it is told.
@Suite(
  "Counting under valgrind", .serialized,
  .enabled(
    if: CountingFixtureProgram.tools != nil && BuildFacts.sanitizer == nil,
    "needs valgrind and strip, and a build that they can run"))
struct OperationCounterTests {
  private func assignment(
    workers: Int = 1, scheduler: String = "inline", _ more: [String: AxisValue] = [:]
  ) -> Assignment {
    let parameters = (["n": 300, "allocations": 0, "turns": 0] as [String: AxisValue])
      .merging(more) { $1 }
    return Assignment(
      subject: .workload("laden"), system: .scheduler(scheduler), workers: workers,
      parameters: Parameters(parameters), seed: 1)
  }

  /// Counts each of them twice, beside each other: one is the work of one thread.
  private func counts(of assignments: Assignment...) async throws -> [OperationCounts] {
    try await withThrowingTaskGroup(of: (Int, OperationCounts).self) { group in
      for (index, assignment) in assignments.enumerated() {
        group.addTask {
          let program = try CountingFixtureProgram()
          var counted = CaseCounts(try program.counter().count(assignment))
          counted.add(try program.counter().count(assignment))
          return (index, counted.counts)
        }
      }
      var counts: [Int: OperationCounts] = [:]
      for try await (index, counted) in group { counts[index] = counted }
      return try assignments.indices.map { try #require(counts[$0]) }
    }
  }

  @Test func onePercentMoreInstructionsIsFoundAndAQuarterOfItIsNot() async throws {
    // What a process spends beside its operations, which differs by chance, is shared by many.
    func assignment(turns: Int, n: Int = 1500) -> Assignment {
      self.assignment(["turns": .number(turns), "n": .number(n)])
    }
    let plain = try await counts(
      of: assignment(turns: 0), assignment(turns: 0, n: 100), assignment(turns: 1000, n: 100))
    let turn = (plain[2].instructions.value - plain[1].instructions.value) / 1000
    try #require(turn >= 1)
    let before = plain[0]
    let percent = Int((before.instructions.value * 0.01 / turn).rounded(.up))
    let more = try await counts(of: assignment(turns: percent), assignment(turns: percent / 4))
    let after = CountsComparison(before: before, after: more[0])
    #expect((0.0095...0.013).contains(after.instructions.change), "\(after.instructions)")
    #expect(after.instructions.verdict == .more, "\(after.instructions)")
    let little = CountsComparison(before: before, after: more[1])
    #expect(little.instructions.verdict != .more, "\(little.instructions)")
  }

  @Test(arguments: [("work-stealing", 4), ("thread-pool", 3)])
  func oneMoreAllocationIsFoundAtAnyNumberOfWorkers(scheduler: String, workers: Int) async throws {
    let plain = assignment(workers: workers, scheduler: scheduler)
    let laden = assignment(workers: workers, scheduler: scheduler, ["allocations": 1])
    let counts = try await counts(of: plain, laden)
    let after = CountsComparison(before: counts[0], after: counts[1])
    #expect(after.allocations.verdict == .more, "\(after.allocations)")
    // How far the submitting thread gets ahead decides how much lists grow.
    #expect(abs(after.allocations.change - 1) <= 0.5, "\(after.allocations)")
  }

  @Test func anAllocationMoreThanInAnotherProgramIsFoundAndExplained() throws {
    let program = try CountingFixtureProgram()
    let (before, after) = (assignment(), assignment(["allocations": 1]))
    let plan = CountingPlan(cases: [
      CountingCase(
        key: CountsKey(benchmark: "laden", params: RowParameters([]), scheduler: "inline"),
        assignment: after)
    ])
    let counter = try program.counter()
    let record = CountingRun(
      plan: plan,
      reference: .program { _ throws(MeasurementFailure) in try counter.count(before) },
      repetitions: 2
    ) { assignment throws(MeasurementFailure) in try counter.count(assignment) }.run()
    let counted = try #require(record.cases.first)
    #expect(counted.comparison?.allocations.verdict == .more, "\(record)")
    #expect(record.toolchain == record.toolchainBefore)
    let changes = FunctionChanges(
      before: counted.functionsBefore, after: try #require(counted.counts).functions)
    #expect(
      changes.entries.contains { $0.name.contains("allocateOnce") && $0.change > 0 },
      "\(changes.entries.prefix(20))")
  }

  @Test func functionsAreNamedAndAddUpToTheInstructions() throws {
    let program = try CountingFixtureProgram()
    let counted = try program.counter().count(assignment(["allocations": 1]))
    let sum = counted.functions.values.reduce(0, +)
    #expect(abs(sum - counted.instructions) < 0.01 * counted.instructions)
    let names = FunctionChanges(before: nil, after: counted.functions).entries.map(\.name)
    #expect(names.contains { $0.contains("allocateOnce") }, "\(names.prefix(40))")
    #expect(counted.toolchain.contains("valgrind 3."))
  }

  @Test func anInterruptLeavesNoProcessAndNoFolder() throws {
    var ends: [Int32] = [0, 0]
    // SAFETY: the array has room for both ends.
    try #require(unsafe pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let path: String
    do {
      let program = try CountingFixtureProgram()
      path = program.scratch.path
      let counter = try program.counter(interrupt: InterruptFlag(descriptor: ends[0]))
      let writer = ends[1]
      let begun = program.scratch.file("bench.begun")
      let late = Thread {
        let deadline = ContinuousClock.now + .seconds(120)
        while !FileManager.default.fileExists(atPath: begun), ContinuousClock.now < deadline {
          usleep(1_000)
        }
        // SAFETY: the text has a byte and lives through the call.
        _ = unsafe write(writer, "!", 1)
      }
      late.start()
      let endless = Assignment(
        subject: .workload("endless"), system: .scheduler("inline"), workers: 1, seed: 1)
      let failure = #expect(throws: MeasurementFailure.self) { try counter.count(endless) }
      #expect(failure == .interrupted)
      #expect(FileManager.default.fileExists(atPath: begun), "its workload never ran")
    }
    #expect(!FileManager.default.fileExists(atPath: path))
    let left = try processes(naming: path)
    #expect(left.isEmpty, "\(left)")
  }
}

/// Command lines of processes that name a path.
private func processes(naming path: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
    .compactMap { try? String(contentsOfFile: "/proc/\($0)/cmdline", encoding: .utf8) }
    .filter { $0.contains(path) }
}

/// Why there is no fixture to count.
struct FixtureError: Error { let complaint: String }

/// The fixture's executable without its debug information, in a folder of its own.
struct CountingFixtureProgram {
  static let tools = try? CountingTools.locate()

  let scratch: ScratchFolder
  private let executable: String

  init() throws {
    scratch = try ScratchFolder()
    executable = scratch.file("bench")
    if let complaint = CountingTools.strip(countingFixture, to: executable) {
      throw FixtureError(complaint: complaint)
    }
  }

  func counter(interrupt: InterruptFlag? = nil) throws -> OperationCounter {
    OperationCounter(
      tools: try #require(Self.tools), executable: executable, scratch: scratch,
      interrupt: interrupt)
  }
}
