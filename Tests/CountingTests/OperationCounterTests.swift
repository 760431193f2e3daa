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

  private func counts(
    _ program: CountingFixtureProgram, _ assignment: Assignment, repetitions: Int = 2
  ) throws -> OperationCounts {
    var counted = CaseCounts(try program.counter().count(assignment))
    for _ in 1..<repetitions { counted.add(try program.counter().count(assignment)) }
    return counted.counts
  }

  @Test func onePercentMoreInstructionsIsFoundAndAQuarterOfItIsNot() throws {
    // What a process spends beside its operations, which differs by chance, is shared by many.
    func assignment(turns: Int) -> Assignment {
      self.assignment(["turns": .number(turns), "n": 3000])
    }
    let program = try CountingFixtureProgram()
    let before = try counts(program, assignment(turns: 0))
    let laden = try program.counter().count(assignment(turns: 1000))
    let turn = (laden.instructions - before.instructions.value) / 1000
    try #require(turn >= 1)
    let percent = Int((before.instructions.value * 0.01 / turn).rounded(.up))
    let after = CountsComparison(
      before: before, after: try counts(program, assignment(turns: percent)))
    #expect((0.0095...0.013).contains(after.instructions.change), "\(after.instructions)")
    #expect(after.instructions.verdict == .more, "\(after.instructions)")
    let little = CountsComparison(
      before: before, after: try counts(program, assignment(turns: percent / 4)))
    #expect(little.instructions.verdict != .more, "\(little.instructions)")
  }

  @Test(arguments: [("work-stealing", 4), ("thread-pool", 3)])
  func oneMoreAllocationIsFoundAtAnyNumberOfWorkers(scheduler: String, workers: Int) throws {
    let program = try CountingFixtureProgram()
    let plain = assignment(workers: workers, scheduler: scheduler)
    let before = try counts(program, plain)
    let laden = assignment(workers: workers, scheduler: scheduler, ["allocations": 1])
    let after = CountsComparison(before: before, after: try counts(program, laden))
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
      reference: .program { _ throws(MeasurementFailure) in try counter.count(before) }
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
