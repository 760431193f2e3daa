// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Machine
internal import Measurement
internal import Results
internal import Scheduling
internal import Testing

@Suite("One measurement in a child process") struct ChildRunnerTests {
  @Test func everyIterationAskedForArrives() throws {
    var assignment = Fixture.assignment("spin")
    assignment.minimumIterations = 5
    let outcome = Fixture.run(assignment)
    #expect(outcome.failure == nil)
    #expect(outcome.iterations.count == 5)
    for sample in outcome.iterations {
      #expect(sample.runNanoseconds >= 2_000_000)
      #expect(sample.cpuNanoseconds > 0)
      #expect(sample.operations == 10)
    }
    #expect(try #require(outcome.peakRSS) > 1_000_000)
    #expect(outcome.elapsedNanoseconds > 6 * 2_000_000)
  }

  @Test func theSchedulerIsAskedBeforeAndAfterTheIterations() throws {
    var assignment = Fixture.assignment("spin")
    assignment.minimumIterations = 5
    let outcome = Fixture.run(assignment)
    #expect(outcome.failure == nil)
    // Asked twice, whatever the number of iterations: one park more, of 5 times 10 operations.
    #expect(outcome.metrics[.parks] == [0.02])
    for metric in [
      Metric.jobs, .failedSteals, .wakeUps, .spuriousWakeUps, .injections, .compensations,
    ] { #expect(outcome.metrics[metric] == [0]) }
    #expect(outcome.metrics[.steals] == nil)
    let user = try #require(outcome.metrics[.cpuUser]?.first)
    let system = try #require(outcome.metrics[.cpuSystem]?.first)
    // Half of what is spun: the kernel divides by samples, and others share the processors.
    #expect(user + system > 100_000)
    #expect(try #require(outcome.metrics[.minorFaults]?.first) >= 0)
    #expect(try #require(outcome.metrics[.majorFaults]?.first) >= 0)
  }

  @Test func whoElseUsesTheProcessorsIsSeenBesideTheChild() throws {
    let spinner = Process()
    spinner.executableURL = URL(fileURLWithPath: "/bin/sh")
    spinner.arguments = ["-c", "while :; do :; done"]
    try spinner.run()
    defer {
      // It blocks the signals that the thread of this test blocks.
      kill(spinner.processIdentifier, SIGKILL)
      spinner.waitUntilExit()
    }
    var assignment = Fixture.assignment("spin")
    assignment.timeBudgetNanoseconds = 1_000_000_000
    // Children of other tests that end meanwhile take all their time with them, so that one look
    // may miss it.
    let seen = (0..<5).lazy.map { _ in Fixture.run(assignment).disturbance.foreignNanoseconds }
    #expect(seen.contains { ($0 ?? 0) > 100_000_000 })
  }

  @Test func aReferenceHasNoSchedulerToAsk() {
    var assignment = Fixture.assignment("empty")
    assignment.system = .reference("whole")
    let outcome = Fixture.run(assignment)
    #expect(outcome.failure == nil)
    #expect(outcome.metrics[.parks] == nil)
    #expect(outcome.metrics[.cpuUser]?.count == 1)
  }

  @Test func theTimeBudgetAddsIterations() {
    var assignment = Fixture.assignment("spin")
    assignment.minimumIterations = 1
    assignment.timeBudgetNanoseconds = 20_000_000
    let outcome = Fixture.run(assignment)
    #expect(outcome.failure == nil)
    #expect((2...11).contains(outcome.iterations.count))
  }

  @Test func theMaximumEndsShortIterations() {
    var assignment = Fixture.assignment("empty")
    assignment.maximumIterations = 17
    assignment.timeBudgetNanoseconds = 60_000_000_000
    #expect(Fixture.run(assignment).iterations.count == 17)
  }

  @Test(arguments: Allocator.allCases) func aChildProvesItsAllocator(_ allocator: Allocator) throws
  {
    let outcome = Fixture.run(Fixture.assignment("empty"), allocator: allocator)
    if BuildFacts.sanitizer != nil, allocator == .jemalloc {
      // A sanitizer serves malloc itself; the child must say so instead of measuring.
      #expect(outcome.failure?.qualityWord == "unavailable:allocator")
      return
    }
    #expect(outcome.failure == nil)
    let proof = try #require(outcome.allocatorProof)
    #expect(proof.hasPrefix(allocator == .jemalloc ? "jemalloc 5" : "glibc 2"))
    #expect((outcome.jemallocEpochNanoseconds != nil) == (allocator == .jemalloc))
  }

  @Test func aSchedulersKnobsReachTheChild() {
    var assignment = Fixture.assignment("empty", scheduler: "tunable")
    #expect(Fixture.run(assignment).failure == nil)
    assignment.knobs = KnobSettings(["threads": 2])
    // One worker is asked for, so the child says that the scheduler made from the knob has two.
    #expect(Fixture.run(assignment).failure?.qualityWord == "unavailable:workers")
    assignment.workers = 2
    #expect(Fixture.run(assignment).failure == nil)
  }

  @Test(arguments: ["threads:5", "threads:none", "depth:1"])
  func aChildRefusesWhatIsNoSettingOfItsScheduler(settings: String) throws {
    var assignment = Fixture.assignment("empty", scheduler: "tunable")
    assignment.knobs = try #require(KnobSettings(canonical: settings))
    #expect(Fixture.run(assignment).failure?.qualityWord == "unavailable:knobs")
  }

  @Test func thousandsOfSamplesArriveInOrder() {
    var assignment = Fixture.assignment("samples")
    assignment.minimumIterations = 2
    let outcome = Fixture.run(assignment)
    #expect(outcome.failure == nil)
    #expect(outcome.latencies == Array(0..<100_000) + Array(0..<100_000))
    #expect(outcome.queueDelays == [7, 7])
    #expect(outcome.metrics[.efficiency] == [0.1, 0.1])
  }

  @Test func aReferenceSystemIsCapped() {
    var assignment = Fixture.assignment("empty")
    assignment.system = .reference("whole")
    assignment.parameters["n"] = 1000
    let outcome = Fixture.run(assignment)
    #expect(outcome.failure == nil)
    #expect(outcome.iterations.map(\.operations) == [50, 50, 50])
  }

  @Test func whatAChildPrintsIsNoResult() {
    let outcome = Fixture.run(Fixture.assignment("prints"))
    #expect(outcome.failure == nil)
    #expect(outcome.iterations.count == 3)
  }

  @Test func aChildInheritsItsPipesAndNothingElse() {
    // SAFETY: the path lives through the call.
    let leaked = unsafe open("/dev/null", O_RDONLY)
    defer { close(leaked) }
    #expect(leaked > 2)
    var assignment = Fixture.assignment("descriptors")
    assignment.minimumIterations = 1
    #expect(Fixture.run(assignment).latencies == [0, 1, 2, 3, 4, 5])
  }

  @Test func aPinnedChildSeesThatManyCPUs() {
    var assignment = Fixture.assignment("cpus")
    assignment.cpus = 1
    assignment.minimumIterations = 1
    #expect(Fixture.run(assignment).metrics[.tasks] == [1])
    assignment.cpus = 100_000
    #expect(Fixture.run(assignment).failure?.qualityWord == "unavailable:cpus")
  }

  @Test func aChildSharesTheProcessGroup() {
    var assignment = Fixture.assignment("group")
    assignment.minimumIterations = 1
    #expect(Fixture.run(assignment).metrics[.tasks] == [Double(getpgrp())])
  }

  @Test func thePaddingEntersTheEnvironment() {
    var assignment = Fixture.assignment("padding")
    assignment.minimumIterations = 1
    assignment.environmentPadding = 4096
    #expect(Fixture.run(assignment).metrics[.tasks] == [4096])
  }
}
