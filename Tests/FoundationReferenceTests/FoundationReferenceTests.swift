// SPDX-License-Identifier: Apache-2.0

import FoundationReference
import Harness
import Testing
import Workloads

@Suite struct FoundationReferenceTests {
  private let reference = ReferenceDescription.foundation
  static let names = ReferenceDescription.foundation.workloads.keys.sorted()

  @Test func theWorkloadsOfThePublishedTableHaveTheirProgram() {
    #expect(reference.name == "foundation")
    #expect(
      Self.names == [
        "cancel", "chain", "fan", "fork-join", "independent", "independent-bodies",
        "independent-objects", "layered", "priority-mix", "submit-latency", "wavefront",
        "wavefront-work",
      ])
    #expect(!reference.caveat.isEmpty)
  }

  @Test(arguments: FoundationReferenceTests.names)
  func everyCapNamesAnAxisOfTheWorkload(name: String) throws {
    let workload = try #require(WorkloadCatalog.all.first { $0.name == name })
    let program = try #require(reference.workloads[name])
    for (axis, limit) in program.cap {
      #expect(try #require(workload.axis(named: axis)).accepts(.number(limit)))
    }
  }

  @Test func chainsAreCutToFiveThousand() throws {
    let chain = try #require(reference.workloads["chain"])
    #expect(chain.capped(WorkloadDescription.chain.parameters(at: .real))["n"] == 5000)
    #expect(chain.capped(WorkloadDescription.chain.parameters(at: .smoke))["n"] == 200)
  }

  @Test(arguments: FoundationReferenceTests.names, [1, 2])
  func everyProgramGivesItsAnswer(name: String, workers: Int) throws {
    let description = try #require(WorkloadCatalog.all.first { $0.name == name })
    let program = try #require(reference.workloads[name])
    let parameters = program.capped(description.parameters(at: .smoke))
    let workload = try program.make(parameters)
    let builtIn = try description.make(parameters)
    #expect(workload.operationsPerIteration == builtIn.operationsPerIteration)
    for _ in 0..<2 {
      var recorder = IterationRecorder()
      try workload.iterate(workers: workers, recorder: &recorder)
      #expect(recorder.sample(operations: workload.operationsPerIteration) != nil)
      #expect(recorder.latencies.isEmpty == !description.metrics.contains("latency"))
    }
  }

  @Test func theLongestChainSurvivesItsRelease() throws {
    let chain = try #require(reference.workloads["chain"])
    let workload = try chain.make(Parameters(["n": 5000]))
    var recorder = IterationRecorder()
    try workload.iterate(workers: 1, recorder: &recorder)
    #expect(recorder.sample(operations: 5000) != nil)
  }
}
