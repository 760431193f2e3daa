// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import Machine
import Measurement
import Results
import Testing

/// Allocations that a child of their own counts, of a program whose operations allocate as often as
/// they are told.
@Suite(
  "Allocations in a child of their own",
  .enabled(if: BuildFacts.sanitizer == nil, "a sanitizer allocates"),
  .enabled(if: (try? JemallocLibrary.locate().get()) != nil, "needs jemalloc"))
struct AllocationChildTests {
  private func outcome(
    _ workload: String = "laden", workers: Int = 1, scheduler: String = "work-stealing",
    allocations: Int = 0,
    allocator: Allocator = .jemalloc, counts: Bool = true
  ) -> MeasurementOutcome {
    var assignment = Assignment(
      subject: .workload(workload), system: .scheduler(scheduler), workers: workers,
      parameters: Parameters(["n": 1000, "allocations": .number(allocations), "turns": 0]),
      warmups: 1,
      minimumIterations: 1, maximumIterations: 1, seed: 1, allocator: allocator)
    assignment.countsAllocations = counts
    return ChildRunner(executable: countingFixture).measure(assignment, deadline: .seconds(60))
  }

  private func figure(_ metric: Metric, _ outcome: MeasurementOutcome) throws -> Double {
    try #require(outcome.failure == nil, "\(outcome)")
    return try #require(outcome.metrics[metric]?.first, "\(outcome)")
  }

  @Test func oneMoreAllocationIsExactlyOneMoreOnOneThread() throws {
    let (before, after) = (
      outcome(scheduler: "inline"), outcome(scheduler: "inline", allocations: 1)
    )
    let more = try figure(.allocations, after) - figure(.allocations, before)
    #expect(abs(more - 1) < 1e-9)
    // 24 bytes are of the size class of 32.
    let bytes = try figure(.allocatedBytes, after) - figure(.allocatedBytes, before)
    #expect(abs(bytes - 32) < 1e-9)
  }

  @Test(arguments: [1, 4]) func oneMoreAllocationIsFoundAtAnyNumberOfWorkers(workers: Int) throws {
    let (before, after) = (outcome(workers: workers), outcome(workers: workers, allocations: 1))
    let more = try figure(.allocations, after) - figure(.allocations, before)
    // Where workers steal, how much a deque grows differs from run to run: a few blocks, but large.
    #expect(abs(more - 1) <= 0.3)
    #expect(try figure(.allocatedBytes, after) > 32)
  }

  @Test func theSystemsAllocatorCannotBeCounted() {
    let outcome = outcome(allocator: .system)
    #expect(outcome.failure?.qualityWord == "unavailable:allocation-counter")
    #expect(outcome.failure?.description.contains("expected jemalloc") == true)
  }

  @Test(.enabled(if: isOneTBBsAllocatorThere, "needs oneTBB's allocator"))
  func whoHasAnAllocatorOfItsOwnCannotBeCounted() {
    let outcome = outcome("own-allocator", scheduler: "inline")
    #expect(outcome.failure?.qualityWord == "unavailable:own-allocator")
    #expect(outcome.failure?.description.contains("libtbbmalloc") == true)
  }

  @Test func whoeverIsTimedCountsNothing() throws {
    let outcome = outcome(counts: false)
    #expect(outcome.isComplete)
    #expect(outcome.metrics[.allocations] == nil && outcome.metrics[.allocatedBytes] == nil)
  }
}

private let isOneTBBsAllocatorThere: Bool = {
  // SAFETY: the library stays; its handle is not needed.
  unsafe dlopen("libtbbmalloc.so.2", RTLD_NOW) != nil
}()
