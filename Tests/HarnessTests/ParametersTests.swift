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

  @Test(arguments: ["n", "n:", ":1", "n:1;", "n:1;n:2", "n:1:2", "n:x"])
  func malformedParametersAreRefused(_ text: String) {
    #expect(Parameters(canonical: text) == nil)
  }

  @Test func anUndeclaredAxisIsAFault() async {
    await #expect(processExitsWith: .failure) { _ = Parameters(["n": 1])["m"] }
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
