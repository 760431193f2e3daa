// SPDX-License-Identifier: Apache-2.0

package import Harness

extension ReferenceDescription {
  /// Foundation's `OperationQueue`, measured whole: its own operations, dependencies and threads.
  ///
  /// The same programs by the same names, with the same bodies and answer checks as the built-in
  /// workloads, and `maxConcurrentOperationCount` set to the worker count.
  package static let foundation = ReferenceDescription(
    name: "foundation",
    summary: "Foundation's OperationQueue with its own operations and dependencies",
    caveat:
      "measured whole, not through the scheduler seam; sizes are capped (see params), since its "
      + "cost per operation grows with the number of pending operations and long chains crash",
    workloads: [
      "independent": Program(cap: ["n": 100_000]) { parameters throws(WorkloadError) in
        try FoundationGraph.independent("independent", operations: parameters["n"])
      },
      // It has no form of a body but the closure.
      "independent-bodies": Program(cap: ["n": 100_000]) { parameters throws(WorkloadError) in
        try FoundationGraph.independent("independent-bodies", operations: parameters["n"])
      },
      "independent-objects": Program(cap: ["n": 100_000]) { parameters throws(WorkloadError) in
        try FoundationGraph.independent(
          "independent-objects", operations: parameters["n"], asObjects: true)
      },
      "chain": Program(cap: ["n": 5000]) { parameters throws(WorkloadError) in
        try FoundationGraph.chain(operations: parameters["n"])
      },
      "fan": Program(cap: ["rounds": 20, "width": 1000]) { parameters throws(WorkloadError) in
        try FoundationGraph.fan(rounds: parameters["rounds"], width: parameters["width"])
      },
      "wavefront": Program(cap: ["n": 64]) { parameters throws(WorkloadError) in
        try FoundationGraph.wavefront("wavefront", side: parameters["n"])
      },
      "wavefront-work": Program(cap: ["n": 64]) { parameters throws(WorkloadError) in
        try FoundationGraph.wavefront(
          "wavefront-work", side: parameters["n"], bodyNanoseconds: parameters["body-ns"])
      },
      "layered": Program(cap: ["layers": 20, "width": 1000, "degree": 8]) {
        parameters throws(WorkloadError) in
        try FoundationGraph.layered(
          layers: parameters["layers"], width: parameters["width"], degree: parameters["degree"],
          seed: parameters["seed"])
      },
      "fork-join": Program(cap: ["n": 20]) { parameters throws(WorkloadError) in
        FoundationForkJoin(argument: parameters["n"])
      },
      "priority-mix": Program(cap: ["flood": 4000, "samples": 40]) {
        parameters throws(WorkloadError) in
        try FoundationPriorityMix(flood: parameters["flood"], samples: parameters["samples"])
      },
      "cancel": Program(cap: ["n": 20_000]) { parameters throws(WorkloadError) in
        try FoundationCancel(operations: parameters["n"])
      },
      "submit-latency": Program(cap: ["samples": 1000]) { parameters throws(WorkloadError) in
        try FoundationSubmitLatency(samples: parameters["samples"])
      },
    ])
}
