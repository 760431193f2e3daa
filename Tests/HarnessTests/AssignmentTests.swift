// SPDX-License-Identifier: Apache-2.0

internal import Scheduling
internal import Testing

@testable internal import Harness

@Suite("Assignments and parameters travel as text") struct AssignmentTests {
  private func example() -> Assignment {
    Assignment(
      subject: .graph(path: "/tmp/50 % of = a\nstrange;name"), system: .reference("whole"),
      workers: 3, cpus: 2, parameters: Parameters(["n": 512, "width": 7]),
      knobs: KnobSettings(["pin": "compact", "spin-us": 5]), warmups: 0,
      minimumIterations: 4, maximumIterations: 5, timeBudgetNanoseconds: 6, seed: .max,
      allocator: .system, extra: ["time-scale": "1e-3", "odd=key": "a=b"])
  }

  @Test func textRoundTrips() throws {
    var assignment = example()
    assignment.extra = ["time-scale": "a=b\r\n%"]
    #expect(try Assignment(encoded: assignment.encoded) == assignment)
    assignment.cpus = nil
    assignment.subject = .workload("fan")
    assignment.system = .scheduler("inline")
    assignment.parameters = Parameters()
    assignment.knobs = KnobSettings()
    #expect(try Assignment(encoded: assignment.encoded) == assignment)
  }

  @Test func everyMissingLineIsNamed() {
    let lines = example().encoded.split(separator: "\n")
    for (index, line) in lines.enumerated()
    where !["x-", "cpus", "knobs"].contains(where: line.hasPrefix) {
      var rest = lines
      rest.remove(at: index)
      let text = rest.joined(separator: "\n")
      #expect(throws: AssignmentError.self, "without \(line)") {
        try Assignment(encoded: text)
      }
    }
  }

  @Test(arguments: [
    "workers=x", "workers=99999999999999999999", "seed=-1", "allocator=none", "oops", "a=%G0",
  ])
  func aBadLineIsAnError(_ line: String) {
    #expect(throws: AssignmentError.self) {
      try Assignment(encoded: example().encoded + "\n" + line)
    }
  }

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
