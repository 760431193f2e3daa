// SPDX-License-Identifier: Apache-2.0

internal import CDispatchReference
// Links libdispatch for the C functions.
internal import Dispatch
package import Harness
internal import NativeGraph
internal import Workloads

extension ReferenceDescription {
  /// libdispatch's C functions: a group, functions instead of blocks, and counters where a graph is
  /// needed.
  package static let dispatchNative = ReferenceDescription(
    name: "dispatch-native",
    summary: "libdispatch's C functions: groups, and a count per node where a graph is needed",
    caveat: "threads are libdispatch's, as many as CPUs; no objects, no closures, no cancellation",
    width: .cpus,
    workloads: NativeGraph.programs(on: graphs).merging(
      [
        "independent": Program { parameters throws(WorkloadError) in
          try NativeIndependent(on: "dispatch-native", operations: parameters["n"]) {
            slots, count, _ in
            dispatch_reference_independent(slots.handle, Int64(count))
          }
        },
        "fork-join": Program { parameters throws(WorkloadError) in
          NativeForkJoin(on: "dispatch-native", argument: parameters["n"]) { argument, _ in
            dispatch_reference_fibonacci(Int64(argument))
          }
        },
        "submit-latency": Program { parameters throws(WorkloadError) in
          try NativeSubmitLatency(on: latency, samples: parameters["samples"])
        },
      ], uniquingKeysWith: { first, _ in first }))

  private static let graphs = NativeGraph.System(
    name: "dispatch-native",
    build: { dispatch_reference_build($0) },
    run: { _, program, _ in dispatch_reference_run(program) },
    drop: { dispatch_reference_drop($0) })

  private static let latency = NativeSubmitLatency.System(
    name: "dispatch-native",
    open: { _ in dispatch_reference_open() },
    sample: { group, stamps, slots, index in
      dispatch_reference_sample(group, stamps.handle, slots.handle, Int64(index))
    },
    close: { dispatch_reference_close($0) })
}
