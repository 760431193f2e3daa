// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Machine
internal import Testing

@testable internal import Measurement

@Suite("Who gets which allocator") struct AllocatorChoiceTests {
  private func orchestrate(
    _ allocator: Allocator, environment: [String: String]
  ) throws -> String {
    let words = ["orchestrate", Fixture.assignment("empty").line, allocator.rawValue]
    return try Fixture.start(words, environment: environment).output
  }

  @Test func aLibraryThatIsNotThereIsNotReplacedByAnother() throws {
    #expect(
      try orchestrate(.jemalloc, environment: [JemallocLibrary.variable: "/nonexistent.so"])
        == "unavailable:allocator")
  }

  @Test(.enabled(if: BuildFacts.sanitizer == nil))
  func theChildOfAPreloadedOrchestratorHasTheSystemsOwn() throws {
    let library = try JemallocLibrary.locate().get()
    #expect(try orchestrate(.system, environment: ["LD_PRELOAD": library]) == "complete")
    #expect(try orchestrate(.jemalloc, environment: ["LD_PRELOAD": library]) == "complete")
  }

  @Test func aChildWithoutOrchestratorExplainsItself() throws {
    let alone = try Fixture.start([measureChildVerb, ChildSetup().line])
    #expect(alone.code == 64)
    #expect(alone.errors.contains("bench __measure: no orchestrator"))
    #expect(alone.errors.contains("use 'bench run'"))
    let wrong = try Fixture.start([measureChildVerb, "nonsense"])
    #expect(wrong.code == 64)
    #expect(wrong.errors.contains("expected hello version=1"))
    #expect(try Fixture.start([measureChildVerb]).code == 64)
  }
}
