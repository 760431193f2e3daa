// SPDX-License-Identifier: Apache-2.0
// The suite's graphs as reference systems written in C and C++ see them: predecessor lists, bodies, and what a program
// needs that has no graph of its own, which is a count of unfinished predecessors and a list of successors per node.
#pragma once
#include <stdint.h>

#include "CCompute.h"
#include "CSlots.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A graph: the predecessors of node i are `predecessors[offsets[i]]` up to `predecessors[offsets[i + 1]]`, lower indices.
struct native_graph {
  /// Handle of one slot per node.
  uintptr_t slots;
  int64_t count;
  /// Whether bodies compare the slots of their predecessors with their own.
  int32_t checks_order;
  int64_t *offsets;
  int32_t *predecessors;
  /// Iterations of a body's kernel, whose result lies in a stamp; 0 for none.
  int64_t grain;
  uintptr_t results;
};

/// Copies a graph of `count` nodes; `offsets` has one entry more. Returns 0 when there is no memory.
uintptr_t native_graph_make(uintptr_t slots, const int64_t *offsets, int64_t count, const int32_t *predecessors);
/// Whether bodies that run from now on check their order.
void native_graph_check_order(uintptr_t graph, int32_t checks_order);
/// How many iterations bodies that run from now on compute, and the handle of one stamp per node for their results.
void native_graph_set_grain(uintptr_t graph, int64_t grain, uintptr_t results);
void native_graph_drop(uintptr_t graph);

/// The body of a node, the same as in the suite's own workloads. A thread at a time per node, after its predecessors.
static inline void native_graph_run_body(const struct native_graph *graph, int64_t node) {
  uint32_t value = cslots_increment(graph->slots, node);
  if (graph->grain) cstamps_write(graph->results, node, ckernel_compute((uint64_t)node, graph->grain));
  if (!graph->checks_order) return;
  for (int64_t edge = graph->offsets[node]; edge < graph->offsets[node + 1]; edge++)
    if (cslots_read(graph->slots, graph->predecessors[edge]) != value) cslots_count_violation(graph->slots);
}

struct counter_graph;

/// A node of a program that counts for itself. The list of successors grows by doubling, as a vector does.
struct counter_node {
  struct counter_graph *owner;
  /// Predecessors that have not finished.
  int32_t pending;
  uint32_t count;
  uint32_t capacity;
  uint32_t *successors;
};

/// The nodes of one iteration.
struct counter_graph {
  const struct native_graph *graph;
  struct counter_node *nodes;
  /// The caller's own: a group, for instance.
  void *system;
};

/// Makes nodes and edges one after the other, as a program does that learns its graph while it builds it. Ends the
/// process when there is no memory.
struct counter_graph *counter_graph_make(uintptr_t graph, void *system);
void counter_graph_drop(struct counter_graph *counters);
/// True when no predecessor was ever there.
static inline int counter_graph_is_root(const struct counter_graph *counters, int64_t node) {
  return counters->graph->offsets[node] == counters->graph->offsets[node + 1];
}
/// Index of a node in its graph.
static inline int64_t counter_node_index(const struct counter_node *node) { return node - node->owner->nodes; }
/// One predecessor has finished; true for the last one, whose caller must start the node.
/// Acquire and release: the starter sees what every predecessor wrote.
static inline int counter_node_arrive(struct counter_node *node) {
  return __atomic_sub_fetch(&node->pending, 1, __ATOMIC_ACQ_REL) == 0;
}

/// Where the values of two calls of the Fibonacci recursion meet: a heap node with a count of two, for systems whose
/// waiting would hold a thread.
struct native_join {
  struct native_join *parent;
  /// Sum so far in the upper 62 bits, values still to come in the lower two.
  uint64_t state;
  /// What the call that was spawned computes.
  int64_t argument;
  /// The caller's own: a group, for instance.
  void *system;
};

/// A join that passes its sum to `parent`; NULL makes the root, which waits for one value.
struct native_join *native_join_make(struct native_join *parent, int64_t argument, void *system);
/// Adds a value; whoever brings the last one frees the join, the root excepted, and goes on with its parent.
void native_join_deliver(struct native_join *join, uint64_t value);
/// The value of the root, which is freed; UINT64_MAX while it is missing.
uint64_t native_join_take(struct native_join *root);

/// CLOCK_MONOTONIC in nanoseconds.
uint64_t native_clock(void);
/// Prints the message with the name of the system and ends the process.
void native_fail(const char *system, const char *message) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
