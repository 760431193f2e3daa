// SPDX-License-Identifier: Apache-2.0

#if OpenMP
  package import Harness
  internal import COpenMPReference
  internal import NativeGraph
  internal import Workloads

  extension ReferenceDescription {
    /// OpenMP tasks, with `depend` where a graph is needed.
    package static let openMP = ReferenceDescription(
      name: "openmp",
      summary: "OpenMP tasks, with depend clauses where a graph is needed",
      caveat:
        "tasks run while later ones are created (no build phase); with 1 worker, and with full "
        + "queues, creating a task is calling it, so nothing is scheduled; idle workers spin",
      workloads: NativeGraph.programs(
        on: NativeGraph.System(
          name: "openmp", build: { _ in 0 },
          run: { graph, _, workers in openmp_graph(graph, Int32(clamping: workers)) },
          drop: { _ in })
      ).merging(
        [
          "independent": Program { parameters throws(WorkloadError) in
            try NativeIndependent(on: "openmp", operations: parameters["n"]) {
              slots, count, workers in
              openmp_independent(slots.handle, Int64(count), Int32(clamping: workers))
            }
          },
          "fork-join": Program { parameters throws(WorkloadError) in
            NativeForkJoin(on: "openmp", argument: parameters["n"]) { argument, workers in
              openmp_fibonacci(Int64(argument), Int32(clamping: workers))
            }
          },
        ], uniquingKeysWith: { first, _ in first }))
  }
#endif
