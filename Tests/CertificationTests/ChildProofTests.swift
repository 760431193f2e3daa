// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Machine
import Measurement
import Testing

@testable import Certification

/// Real children.
@Suite("Proofs by children", .enabled(if: BuildFacts.sanitizer == nil, "a sanitizer allocates"))
struct ChildProofTests {
  private var instruments: SelfTestInstruments {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let folders = ([tests] + CommandLine.arguments.filter { $0.contains(".xctest") })
      .map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
    let fixture = folders.map { $0.appendingPathComponent("MeasureChildFixture").path }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    return SelfTestInstruments(
      ChildRunner(executable: fixture ?? "MeasureChildFixture"), interrupt: nil)
  }

  private func assignment(_ workload: String, operations: Int) -> Assignment {
    Assignment(
      subject: .workload(workload), system: .scheduler("immediate"), workers: 1,
      parameters: Parameters(["n": .number(operations)]), warmups: 1, minimumIterations: 5, seed: 1,
      allocator: .system)
  }

  @Test(
    .enabled(if: (try? JemallocLibrary.locate().get()) != nil, "needs jemalloc"),
    arguments: [0, 1, 10, 10_000, 10_001])
  func everyAllocationOfAnotherThreadIsCounted(wanted: Int) throws {
    #expect(try instruments.countAllocations(wanted) == wanted)
  }

  @Test func aWorkloadWithoutBodiesDoesNotTakeLonger() throws {
    let less = try instruments.time(assignment("empty", operations: 10))
    let more = try instruments.time(assignment("empty", operations: 100_000))
    #expect(less.operations == 10 && more.operations == 100_000)
    let growth = WorkGrowth(benchmark: "empty", less: less, more: more)
    #expect(!growth.isPlausible, "\(growth)")
  }

  @Test func aWrongAnswerIsAFailure() throws {
    let instruments = instruments
    let failure = #expect(throws: MeasurementFailure.self) {
      try instruments.time(assignment("wrong", operations: 10))
    }
    #expect(failure?.qualityWord == "wrong-answer")
  }
}
