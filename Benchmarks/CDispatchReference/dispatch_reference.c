// SPDX-License-Identifier: Apache-2.0
#include "CDispatchReference.h"
#include "CNativeGraph.h"

// Declared here because the headers of the Swift toolchain are not on the path of C targets.
extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);
extern void *dispatch_group_create(void);
extern void dispatch_group_async_f(void *group, void *queue, void *context, void (*work)(void *));
extern intptr_t dispatch_group_wait(void *group, uint64_t timeout);
extern void dispatch_release(void *object);

static const uint64_t forever = ~0ull;

static void *global_queue(void) { return dispatch_get_global_queue(0, 0); }

static void run_node(void *context) {
  struct counter_node *node = context;
  struct counter_graph *counters = node->owner;
  native_graph_run_body(counters->graph, counter_node_index(node));
  for (uint32_t index = 0; index < node->count; index++) {
    struct counter_node *successor = &counters->nodes[node->successors[index]];
    if (counter_node_arrive(successor)) dispatch_group_async_f(counters->system, global_queue(), successor, run_node);
  }
}

uintptr_t dispatch_reference_build(uintptr_t graph) {
  return (uintptr_t)counter_graph_make(graph, dispatch_group_create());
}

void dispatch_reference_run(uintptr_t program) {
  struct counter_graph *counters = (struct counter_graph *)program;
  for (int64_t node = 0; node < counters->graph->count; node++)
    if (counter_graph_is_root(counters, node))
      dispatch_group_async_f(counters->system, global_queue(), &counters->nodes[node], run_node);
  dispatch_group_wait(counters->system, forever);
}

void dispatch_reference_drop(uintptr_t program) {
  struct counter_graph *counters = (struct counter_graph *)program;
  dispatch_release(counters->system);
  counter_graph_drop(counters);
}

static void increment(void *context) { ++*(uint32_t *)context; }

void dispatch_reference_independent(uintptr_t slots, int64_t count) {
  void *group = dispatch_group_create();
  for (int64_t index = 0; index < count; index++)
    dispatch_group_async_f(group, global_queue(), cslots_address(slots, index), increment);
  dispatch_group_wait(group, forever);
  dispatch_release(group);
}

static void evaluate(struct native_join *join, int64_t argument);

static void evaluate_spawned(void *context) {
  struct native_join *join = context;
  evaluate(join, join->argument);
}

static void evaluate(struct native_join *join, int64_t argument) {
  void *group = join->system;
  for (; argument >= 2; argument -= 2) {
    join = native_join_make(join, argument - 1, group);
    dispatch_group_async_f(group, global_queue(), join, evaluate_spawned);
  }
  native_join_deliver(join, (uint64_t)argument);
}

uint64_t dispatch_reference_fibonacci(int64_t argument) {
  void *group = dispatch_group_create();
  struct native_join *root = native_join_make(0, argument, group);
  dispatch_group_async_f(group, global_queue(), root, evaluate_spawned);
  dispatch_group_wait(group, forever);
  dispatch_release(group);
  return native_join_take(root);
}

struct sample {
  uintptr_t stamps;
  uintptr_t slots;
  int64_t index;
};

static void stamp(void *context) {
  struct sample *sample = context;
  cstamps_write(sample->stamps, sample->index, native_clock());
  cslots_increment(sample->slots, sample->index);
}

uintptr_t dispatch_reference_open(void) { return (uintptr_t)dispatch_group_create(); }

uint64_t dispatch_reference_sample(uintptr_t group, uintptr_t stamps, uintptr_t slots, int64_t index) {
  struct sample sample = {stamps, slots, index};
  uint64_t submitted = native_clock();
  dispatch_group_async_f((void *)group, global_queue(), &sample, stamp);
  dispatch_group_wait((void *)group, forever);
  return submitted;
}

void dispatch_reference_close(uintptr_t group) { dispatch_release((void *)group); }
