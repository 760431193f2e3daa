// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Harness
internal import MeasurementFixtures
internal import TestFolders
internal import Testing

@testable internal import Measurement

@Suite struct StackProfileTests {
  private let script = """
    pool thread 0  4242 
    \t    7f01 leaf
    \t    7f02 closure #1 in outer(a: Int; b)
    \t    7f03 [unknown]

    pool thread 0  4242 
    \t    7f09 leaf
    \t    7f02 closure #1 in outer(a: Int; b)
    \t    7f03 [unknown]

    bench  17 
    \t    55aa main
    """

  @Test func samplesOfOneStackAreCountedFromTheOutermostFrameOn() {
    let profile = StackProfile(perfScript: script)
    #expect(
      profile.stacks == [
        "pool thread 0;[unknown];closure #1 in outer(a: Int: b);leaf": 2, "bench;main": 1,
      ])
    #expect(profile.total == 3)
  }

  @Test func aFunctionOwnsWhatItDidNotCallOthersFor() {
    let profile = StackProfile(folded: "a;b 5\na;b;c 7\nd;b 4\nno weight\na;c;a 1\n")
    #expect(
      profile.heaviest(2) == [.init(function: "b", own: 9), .init(function: "c", own: 7)])
    #expect(profile.total == 17)
  }

  @Test func foldedStacksAreReadAsTheyAreWritten() {
    let profile = StackProfile(perfScript: script)
    #expect(StackProfile(folded: String(decoding: profile.folded, as: UTF8.self)) == profile)
  }

  @Test func whoCalledTheAllocatorOwnsWhatItAllocated() {
    let profile = StackProfile(
      jeprof: """
        main;grow<00000000004a5cb0>;swift_allocObject<000000000046fda0>;swift_slowAlloc 40
        main;grow[inline];operator new(unsigned long)<000000000046fda0> 2
        main;Box<Int> 3
        malloc 1
        """)
    #expect(profile.stacks == ["main;grow": 42, "main;Box<Int>": 3, "malloc": 1])
  }

  @Test func aTextWithoutSamplesHasNone() {
    #expect(StackProfile(perfScript: "\n\n").stacks.isEmpty)
    #expect(StackProfile(folded: "").heaviest(3).isEmpty)
  }

  @Test(
    .enabled(if: StackProfiler.processor.refusal() == nil, "perf is not there or not permitted"))
  func perfFindsTheFunctionThatSpins() throws {
    let profile = try profiled(.processor, "spin")
    #expect(profile.total > 400)
    let often = try #require(profile.stacks.max { $0.value < $1.value }).key
    #expect(often.contains("fixtureSuite"), "\(often)")
  }

  @Test(.enabled(if: StackProfiler.heap.refusal() == nil, "jeprof or heap profiles are not there"))
  func jemallocFindsTheFunctionThatAllocates() throws {
    let profile = try profiled(.heap, "allocates")
    let first = try #require(profile.heaviest(1).first)
    #expect(first.function.contains("allocateAndFree"))
    // Three iterations of 16 MiB, as far as samples tell.
    let share = Double(first.own) / Double(3 * 16 << 20)
    #expect((0.8...1.25).contains(share), "\(share)")
  }

  @Test func aProgramThatIsMissingNamesItsPackage() throws {
    let refusal = try #require(
      StackProfiler.refusal(
        ProgramFailure("perf", .notStarted(ENOENT)), program: "perf", package: "linux-perf",
        remedy: "ask"))
    #expect(refusal.finding == "perf cannot be started: No such file or directory")
    #expect(refusal.expectation == "perf in PATH")
    #expect(refusal.remedy == "apt-get install linux-perf")
  }

  @Test func whatIsNotPermittedNamesTheCommandThatGrantsIt() throws {
    let refusal = try #require(
      StackProfiler.refusal(
        ProgramFailure("perf record", .ended(code: 255, said: "no access")), program: "perf",
        package: "linux-perf", remedy: "ask"))
    #expect(refusal.finding == "perf ended with 255 and said: no access")
    #expect(refusal.remedy == "ask")
    #expect(StackProfiler.refusal(nil, program: "a", package: "b", remedy: "c") == nil)
  }

  private func profiled(_ profiler: StackProfiler, _ workload: String) throws -> StackProfile {
    var assignment = Fixture.assignment(workload)
    assignment.allocator = .jemalloc
    var profile = StackProfile()
    try TestDirectory.with { folder in
      profile = try profiler.profile(
        assignment, runner: ChildRunner(executable: Fixture.path), folder: folder,
        deadline: .seconds(60))
    }
    return profile
  }
}
