// SPDX-License-Identifier: Apache-2.0

#if OneTBB
  package import Harness
  internal import COneTBBReference
  internal import NativeGraph
  internal import Workloads

  extension ReferenceDescription {
    /// oneTBB's flow graph: a `continue_node` per operation.
    package static let oneTBBFlow = ReferenceDescription(
      name: "onetbb-flow",
      summary: "oneTBB's flow graph: a continue_node per operation, an edge per dependency",
      caveat: "the waiting thread is one of the workers and runs nodes in place; idle workers spin",
      workloads: NativeGraph.programs(
        on: NativeGraph.System(
          name: "onetbb-flow", limit: .oneTBB,
          build: { onetbb_flow_build($0) },
          run: { _, program, _ in onetbb_flow_run(program) },
          drop: { onetbb_flow_drop($0) })))

    /// oneTBB's `task_group`, with a count per node where a graph is needed.
    package static let oneTBBTaskGroup = ReferenceDescription(
      name: "onetbb-task-group",
      summary: "oneTBB's task_group, and a count per node where a graph is needed",
      caveat:
        "the waiting thread is one of the workers and runs tasks in place; idle workers spin, "
        + "so a latency (of task_arena::enqueue) is often no wake-up; cancel drops tasks unseen",
      workloads: NativeGraph.programs(on: graphs).merging(
        [
          "independent": independent,
          // A task stores its lambda, as a queue stores a body.
          "independent-bodies": independent,
          "fork-join": Program { parameters throws(WorkloadError) in
            NativeForkJoin(
              on: "onetbb-task-group", limit: .oneTBB, argument: parameters["n"]
            ) { argument, _ in onetbb_group_fibonacci(Int64(argument)) }
          },
          "cancel": Program { parameters throws(WorkloadError) in
            try NativeCancel(on: cancel, operations: parameters["n"])
          },
          "submit-latency": Program { parameters throws(WorkloadError) in
            try NativeSubmitLatency(on: latency, samples: parameters["samples"])
          },
        ], uniquingKeysWith: { first, _ in first }))

    private static let independent = Program { parameters throws(WorkloadError) in
      try NativeIndependent(on: "onetbb-task-group", limit: .oneTBB, operations: parameters["n"]) {
        slots, count, _ in
        onetbb_group_independent(slots.handle, Int64(count))
      }
    }

    private static let graphs = NativeGraph.System(
      name: "onetbb-task-group", limit: .oneTBB,
      build: { onetbb_group_build($0) },
      run: { _, program, _ in onetbb_group_run(program) },
      drop: { onetbb_group_drop($0) })

    private static let cancel = NativeCancel.System(
      name: "onetbb-task-group", limit: .oneTBB,
      build: { slots, count, workers in
        onetbb_cancel_build(slots.handle, Int64(count), Int32(clamping: workers))
      },
      run: { onetbb_cancel_run($0) },
      drop: { onetbb_cancel_drop($0) })

    private static let latency = NativeSubmitLatency.System(
      name: "onetbb-task-group", limit: .oneTBBBesidesSubmitter,
      open: { onetbb_arena_open(Int32(clamping: $0)) },
      sample: { arena, stamps, slots, index in
        onetbb_arena_sample(arena, stamps.handle, slots.handle, Int64(index))
      },
      close: { onetbb_arena_close($0) })
  }

  extension NativeLimit {
    /// The calling thread is one of the workers.
    fileprivate static let oneTBB = NativeLimit(
      open: { onetbb_open(Int32(clamping: $0)) }, close: { onetbb_close($0) })

    /// The calling thread only submits; oneTBB counts it all the same.
    fileprivate static let oneTBBBesidesSubmitter = NativeLimit(
      open: { onetbb_open(Int32(clamping: $0 + 1)) }, close: { onetbb_close($0) })
  }
#endif
