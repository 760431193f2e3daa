// SPDX-License-Identifier: Apache-2.0
#ifdef BENCH_OPENMP
#include "COpenMPReference.h"
#include "CNativeGraph.h"

// Without this the pragmas mean nothing and everything below would run as one thread.
#ifndef _OPENMP
#error "the package trait OpenMP needs the folders of omp.h and libomp in BENCH_OPENMP_INCLUDE and BENCH_OPENMP_LIBRARY; scripts/bench finds them"
#endif

void openmp_graph(uintptr_t handle, int32_t workers) {
  const struct native_graph *graph = (const struct native_graph *)handle;
  const int32_t *predecessors = graph->predecessors;
  // What depends on what is said with the addresses of the slots, which are what the bodies write and read.
  uint32_t *cells = cslots_address(graph->slots, 0);
#pragma omp parallel num_threads(workers)
#pragma omp single
  for (int64_t node = 0; node < graph->count; node++) {
    int64_t first = graph->offsets[node], end = graph->offsets[node + 1];
#pragma omp task firstprivate(node) depend(iterator(int64_t edge = first : end), in : cells[predecessors[edge]]) \
    depend(out : cells[node])
    native_graph_run_body(graph, node);
  }
  // The end of the region waits for every task.
}

void openmp_independent(uintptr_t slots, int64_t count, int32_t workers) {
#pragma omp parallel num_threads(workers)
#pragma omp single
  for (int64_t index = 0; index < count; index++) {
#pragma omp task firstprivate(index)
    cslots_increment(slots, index);
  }
}

static uint64_t evaluate(int64_t argument) {
  if (argument < 2) return (uint64_t)argument;
  uint64_t spawned = 0;
#pragma omp task shared(spawned) firstprivate(argument)
  spawned = evaluate(argument - 1);
  uint64_t in_place = evaluate(argument - 2);
#pragma omp taskwait
  return spawned + in_place;
}

uint64_t openmp_fibonacci(int64_t argument, int32_t workers) {
  uint64_t value = 0;
#pragma omp parallel num_threads(workers)
#pragma omp single
  value = evaluate(argument);
  return value;
}
#endif
