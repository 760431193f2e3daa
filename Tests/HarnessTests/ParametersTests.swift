// SPDX-License-Identifier: Apache-2.0

internal import Testing

@testable internal import Harness

@Suite("Parameters travel as text") struct ParametersTests {
  @Test func parametersAreSortedByName() {
    let parameters = Parameters(["width": 1000, "n": 512])
    #expect(parameters.description == "n:512;width:1000")
    #expect(Parameters(canonical: "n:512;width:1000") == parameters)
    #expect(parameters["n"] == 512)
    #expect(Parameters(canonical: "") == Parameters())
  }

  @Test(arguments: [
    "n", "n:", ":1", "n:1;", "n:1;n:2", "n:1:2", "n:X", "n:.5", "n:5.", "n:1.2.3", "n:1e3",
    "n:--1.0",
  ])
  func malformedParametersAreRefused(_ text: String) {
    #expect(Parameters(canonical: text) == nil)
  }

  @Test func anUndeclaredAxisIsAFault() async {
    await #expect(processExitsWith: .failure) { _ = Parameters(["n": 1])["m"] }
  }

  @Test func decimalsAndWordsTravelAsTheyAreTyped() throws {
    let text = "n:-3;q:0.1250;shape:fixed"
    let parameters = try #require(Parameters(canonical: text))
    #expect(parameters.description == text)
    #expect(parameters["n"] == -3)
    #expect(parameters.decimal("q") == 0.125 && parameters.decimal("n") == -3)
    #expect(parameters.word("shape") == "fixed")
    #expect(parameters.capped(at: ["q": 0, "n": -5, "shape": 1])["n"] == -5)
    #expect(parameters.capped(at: ["q": 0]).decimal("q") == 0.125)
  }

  @Test func aValueOfAnotherKindIsAFault() async {
    await #expect(processExitsWith: .failure) { _ = Parameters(["n": "0.5"])["n"] }
    await #expect(processExitsWith: .failure) { _ = Parameters(["n": 1]).word("n") }
    await #expect(processExitsWith: .failure) { _ = Parameters(["n": "word"]).decimal("n") }
  }

  @Test func anAxisRefusesBuiltInValuesThatItWouldRefuseUsers() async {
    await #expect(processExitsWith: .failure) {
      _ = Axis(name: "q", summary: "", always: 2, legal: .decimals(0...1))
    }
    await #expect(processExitsWith: .failure) {
      _ = Axis(name: "shape", summary: "", always: "round", legal: .words(["fixed"]))
    }
  }

  @Test func capsCutOnlyWhatTheyName() {
    let program = ReferenceDescription.Program(cap: ["n": 5000, "other": 1]) {
      _ throws(WorkloadError) in throw WorkloadError(message: "unused")
    }
    #expect(
      program.capped(Parameters(["n": 100_000, "width": 9])) == Parameters(["n": 5000, "width": 9]))
    #expect(program.capped(Parameters(["n": 64])) == Parameters(["n": 64]))
  }
}
