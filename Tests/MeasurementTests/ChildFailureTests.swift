// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Harness
internal import Machine
internal import Measurement
internal import Results
internal import Testing

@Suite("A child that fails costs only its own figure") struct ChildFailureTests {
  @Test func aSignalIsACrashWithTheLastWords() {
    let outcome = Fixture.run(Fixture.assignment("abort"))
    #expect(
      outcome.failure
        == .crashed(.signalled(SIGABRT), standardError: "first line\nlast words"))
    #expect(outcome.failure?.description.contains("SIGABRT") == true)
  }

  @Test func aTrapIsACrashWithItsMessage() {
    let outcome = Fixture.run(Fixture.assignment("trap"), allocator: .system)
    guard case .crashed(.signalled, let text) = outcome.failure else {
      Issue.record("found \(String(describing: outcome.failure))")
      return
    }
    #expect(text.contains("no such luck"))
    #expect(outcome.allocatorProof?.hasPrefix("glibc") == true)
  }

  @Test func anExitCodeIsACrash() {
    #expect(
      Fixture.run(Fixture.assignment("exit")).failure
        == .crashed(.exited(7), standardError: ""))
  }

  @Test func anEndBeforeDoneIsACrash() {
    guard
      case .crashed(.incomprehensible, _) = Fixture.run(Fixture.assignment("quiet-exit")).failure
    else {
      Issue.record("expected a crash")
      return
    }
  }

  @Test func aWrongAnswerKeepsItsMessage() {
    #expect(
      Fixture.run(Fixture.assignment("wrong")).failure
        == .wrongAnswer("sum is 3;\nexpected 100 % of 4"))
  }

  @Test func aHungChildIsKilledAtItsDeadlineAndReaped() throws {
    let path = Fixture.temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    var assignment = Fixture.assignment("hang")
    assignment.subject = .graph(path: path)
    let outcome = Fixture.run(assignment, deadline: .milliseconds(600))
    #expect(outcome.failure == .hung(deadline: .milliseconds(600), standardError: ""))
    #expect(outcome.elapsedNanoseconds >= 600_000_000)
    // The child wrote its id before it hung.
    let pid = try #require(SystemFiles.ofThisMachine.number(path).flatMap { Int32(exactly: $0) })
    #expect(!SystemFiles.ofThisMachine.isReadable("/proc/\(pid)/stat"))
  }

  @Test func onlyTheEndOfALongStoryIsKept() {
    guard case .crashed(_, let text) = Fixture.run(Fixture.assignment("noisy")).failure else {
      Issue.record("expected a crash")
      return
    }
    #expect(text.utf8.count <= ChildRunner.standardErrorLimit + 4)
    #expect(text.hasPrefix("…\nline "))
    #expect(text.hasSuffix("\nline 99999 of a very long story"))
  }

  @Test func anEndlessTalkerIsHung() {
    let outcome = Fixture.run(Fixture.assignment("endless"), deadline: .milliseconds(600))
    #expect(outcome.failure?.qualityWord == "hung")
  }

  @Test func garbageAmongTheResultsIsACrash() {
    guard
      case .crashed(.incomprehensible(let why), _) = Fixture.run(Fixture.assignment("garbage"))
        .failure
    else {
      Issue.record("expected a crash")
      return
    }
    #expect(why.contains("sample"))
  }

  @Test func aMetricThatNobodyKnowsIsNamed() {
    guard
      case .crashed(.incomprehensible(let why), _) = Fixture.run(Fixture.assignment("coffee"))
        .failure
    else {
      Issue.record("expected a crash")
      return
    }
    #expect(why.hasPrefix("unknown metric 'coffee'; expected one of wall, "))
    #expect(why.hasSuffix("or a name of one's own that begins with x-"))
  }

  @Test func aMetricOfOnesOwnArrivesByItsName() throws {
    let outcome = Fixture.run(Fixture.assignment("own-metric"))
    let own = try #require(OwnMetric("x-coffee-per-table"))
    #expect(outcome.failure == nil)
    #expect(outcome.metrics[.own(own)] == [2.5, 2.5, 2.5])
  }

  @Test(arguments: [
    ("unstamped", "immediate", "unavailable:workload"),
    ("no-such", "immediate", "unavailable:workload"),
    ("empty", "no-such", "unavailable:scheduler"),
    ("empty", "stubborn", "unavailable:workers"),
  ])
  func whatCannotBeMeasuredSaysWhy(_ workload: String, _ scheduler: String, _ word: String) {
    var assignment = Fixture.assignment(workload, scheduler: scheduler)
    assignment.workers = 2
    #expect(Fixture.run(assignment).failure?.qualityWord == word)
  }

  @Test func aProgramThatIsNotThereIsUnavailable() {
    let outcome = ChildRunner(executable: "/nonexistent/bench")
      .run(Fixture.assignment("empty"), deadline: .seconds(1), allocator: .system)
    #expect(outcome.failure?.qualityWord == "unavailable:spawn")
  }

  @Test func aProcessWithoutJemallocCannotProveIt() {
    // The tests themselves run on the C library's allocator, since nothing links jemalloc.
    guard case .failure(let failure) = AllocatorProof.prove(.jemalloc) else {
      Issue.record("jemalloc was found in a process that did not ask for it")
      return
    }
    #expect(failure.kind == .unavailable && failure.reason == "allocator")
    guard case .success = AllocatorProof.prove(.system) else {
      Issue.record("the C library's allocator was not recognised")
      return
    }
  }
}
