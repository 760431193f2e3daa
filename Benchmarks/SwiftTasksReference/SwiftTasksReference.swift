// SPDX-License-Identifier: Apache-2.0

package import Harness
internal import NativeGraph
internal import Workloads

extension ReferenceDescription {
  /// Swift's structured concurrency where it fits, and tasks that await their predecessors where a
  /// graph is needed.
  package static let swiftTasks = ReferenceDescription(
    name: "swift-tasks",
    summary: "Swift concurrency: task groups, and tasks that await their predecessors for graphs",
    caveat:
      "threads are the global executor's, as many as CPUs; tasks run while later ones are made "
      + "(no build phase); cancelled tasks still start and see that they are cancelled",
    width: .cpus,
    workloads: [
      "independent": Program(cap: ["n": 200_000]) { parameters throws(WorkloadError) in
        try NativeIndependent(on: "swift-tasks", operations: parameters["n"]) { slots, count, _ in
          TaskBridge.run {
            await withDiscardingTaskGroup { group in
              for index in 0..<count { group.addTask { slots.increment(index) } }
            }
          }
        }
      },
      "chain": Program { parameters throws(WorkloadError) in
        try TaskGraphReference.chain(operations: parameters["n"])
      },
      "fan": Program(cap: ["rounds": 20, "width": 1000]) { parameters throws(WorkloadError) in
        try TaskGraphReference.fan(rounds: parameters["rounds"], width: parameters["width"])
      },
      "wavefront": Program(cap: ["n": 256]) { parameters throws(WorkloadError) in
        try TaskGraphReference.wavefront(side: parameters["n"])
      },
      "layered": Program(cap: ["layers": 100, "width": 1000]) { parameters throws(WorkloadError) in
        try TaskGraphReference.layered(
          layers: parameters["layers"], width: parameters["width"], degree: parameters["degree"],
          seed: parameters["seed"])
      },
      "fork-join": Program(cap: ["n": 24]) { parameters throws(WorkloadError) in
        NativeForkJoin(on: "swift-tasks", argument: parameters["n"]) { argument, _ in
          TaskBridge.value { await fibonacci(argument) }
        }
      },
      "cancel": Program(cap: ["n": 100_000]) { parameters throws(WorkloadError) in
        try TaskGroupCancel(operations: parameters["n"])
      },
      "submit-latency": Program { parameters throws(WorkloadError) in
        try NativeSubmitLatency(on: latency, samples: parameters["samples"])
      },
    ])

  /// fib(n - 1) is a child task, fib(n - 2) is computed in place, awaiting the child joins them.
  private static func fibonacci(_ argument: Int) async -> UInt64 {
    guard argument >= 2 else { return UInt64(argument) }
    async let spawned = fibonacci(argument - 1)
    let inPlace = await fibonacci(argument - 2)
    return await spawned + inPlace
  }

  private static let latency = NativeSubmitLatency.System(
    name: "swift-tasks",
    open: { _ in 0 },
    sample: { _, stamps, slots, index in
      TaskBridge.time {
        stamps[index] = MonotonicClock.nanoseconds()
        slots.increment(index)
      }
    },
    close: { _ in })
}
