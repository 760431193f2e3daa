// SPDX-License-Identifier: Apache-2.0
#ifdef BENCH_ONETBB
#include "COneTBBReference.h"
#include "CNativeGraph.h"
#include "limited_arena.hpp"
#include <deque>
#include <oneapi/tbb/flow_graph.h>

namespace flow = tbb::flow;

namespace {
using Node = flow::continue_node<flow::continue_msg>;

struct Program {
  const native_graph *shape;
  flow::graph graph;
  // Nodes neither move nor copy.
  std::deque<Node> nodes;
};
}  // namespace

static Program *build(uintptr_t handle) {
  auto *shape = reinterpret_cast<const native_graph *>(handle);
  auto *program = new Program{shape, {}, {}};
  for (int64_t node = 0; node < shape->count; node++) {
    program->nodes.emplace_back(program->graph, [shape, node](const flow::continue_msg &message) {
      native_graph_run_body(shape, node);
      return message;
    });
    for (int64_t edge = shape->offsets[node]; edge < shape->offsets[node + 1]; edge++)
      flow::make_edge(program->nodes[shape->predecessors[edge]], program->nodes[node]);
  }
  return program;
}

uintptr_t onetbb_flow_build(uintptr_t graph) {
  // A flow graph belongs to the arena that it is made in.
  return reinterpret_cast<uintptr_t>(inArena([graph] { return build(graph); }));
}

void onetbb_flow_run(uintptr_t handle) {
  auto *program = reinterpret_cast<Program *>(handle);
  auto *shape = program->shape;
  inArena([program, shape] {
    for (int64_t node = 0; node < shape->count; node++)
      if (shape->offsets[node] == shape->offsets[node + 1]) program->nodes[node].try_put({});
    program->graph.wait_for_all();
  });
}

void onetbb_flow_drop(uintptr_t program) {
  inArena([program] { delete reinterpret_cast<Program *>(program); });
}
#endif
