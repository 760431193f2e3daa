// SPDX-License-Identifier: Apache-2.0
#include "CNativeGraph.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void native_fail(const char *system, const char *message) {
  fprintf(stderr, "%s: %s\n", system, message);
  abort();
}

uint64_t native_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uintptr_t native_graph_make(uintptr_t slots, const int64_t *offsets, int64_t count, const int32_t *predecessors) {
  struct native_graph *graph = malloc(sizeof *graph);
  int64_t edges = offsets[count];
  size_t offset_bytes = (size_t)(count + 1) * sizeof *offsets, edge_bytes = (size_t)edges * sizeof *predecessors;
  if (!graph) return 0;
  // One byte more, so that a graph without edges has an address too.
  *graph = (struct native_graph){slots, count, 1, malloc(offset_bytes), malloc(edge_bytes + 1), 0, 0};
  if (!graph->offsets || !graph->predecessors) {
    native_graph_drop((uintptr_t)graph);
    return 0;
  }
  memcpy(graph->offsets, offsets, offset_bytes);
  if (edges > 0) memcpy(graph->predecessors, predecessors, edge_bytes);
  return (uintptr_t)graph;
}

void native_graph_check_order(uintptr_t graph, int32_t checks_order) {
  ((struct native_graph *)graph)->checks_order = checks_order;
}

void native_graph_set_grain(uintptr_t handle, int64_t grain, uintptr_t results) {
  struct native_graph *graph = (struct native_graph *)handle;
  graph->grain = grain;
  graph->results = results;
}

void native_graph_drop(uintptr_t handle) {
  struct native_graph *graph = (struct native_graph *)handle;
  free(graph->offsets);
  free(graph->predecessors);
  free(graph);
}

static void add_successor(struct counter_node *node, uint32_t successor) {
  if (node->count == node->capacity) {
    node->capacity = node->capacity ? 2 * node->capacity : 1;
    node->successors = realloc(node->successors, node->capacity * sizeof *node->successors);
    if (!node->successors) native_fail("counter graph", "no memory for edges");
  }
  node->successors[node->count++] = successor;
}

struct counter_graph *counter_graph_make(uintptr_t handle, void *system) {
  const struct native_graph *graph = (const struct native_graph *)handle;
  struct counter_graph *counters = malloc(sizeof *counters);
  if (!counters) native_fail("counter graph", "no memory");
  *counters = (struct counter_graph){graph, malloc((size_t)graph->count * sizeof(struct counter_node)), system};
  if (!counters->nodes) native_fail("counter graph", "no memory for nodes");
  for (int64_t node = 0; node < graph->count; node++) {
    int64_t first = graph->offsets[node], end = graph->offsets[node + 1];
    counters->nodes[node] = (struct counter_node){.owner = counters, .pending = (int32_t)(end - first)};
    for (int64_t edge = first; edge < end; edge++)
      add_successor(&counters->nodes[graph->predecessors[edge]], (uint32_t)node);
  }
  return counters;
}

void counter_graph_drop(struct counter_graph *counters) {
  for (int64_t node = 0; node < counters->graph->count; node++) free(counters->nodes[node].successors);
  free(counters->nodes);
  free(counters);
}

struct native_join *native_join_make(struct native_join *parent, int64_t argument, void *system) {
  struct native_join *join = malloc(sizeof *join);
  if (!join) native_fail("fork-join", "no memory");
  *join = (struct native_join){parent, parent ? 2 : 1, argument, system};
  return join;
}

void native_join_deliver(struct native_join *join, uint64_t value) {
  while (1) {
    // Read first: the one who brings the last value frees the join.
    struct native_join *parent = join->parent;
    // Acquire and release: whoever brings the last value sees what the other one did before.
    uint64_t state = __atomic_add_fetch(&join->state, (value << 2) - 1, __ATOMIC_ACQ_REL);
    if ((state & 3) != 0 || !parent) return;
    free(join);
    value = state >> 2;
    join = parent;
  }
}

uint64_t native_join_take(struct native_join *root) {
  uint64_t state = __atomic_load_n(&root->state, __ATOMIC_ACQUIRE);
  free(root);
  return (state & 3) == 0 ? state >> 2 : UINT64_MAX;
}
