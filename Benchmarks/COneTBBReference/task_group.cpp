// SPDX-License-Identifier: Apache-2.0
#ifdef BENCH_ONETBB
#include "COneTBBReference.h"
#include "CNativeGraph.h"
#include "limited_arena.hpp"
#include <condition_variable>
#include <mutex>
#include <oneapi/tbb/task_group.h>

LimitedArena *LimitedArena::current = nullptr;

uintptr_t onetbb_open(int32_t workers) {
  LimitedArena::current = new LimitedArena(workers);
  return reinterpret_cast<uintptr_t>(LimitedArena::current);
}

void onetbb_close(uintptr_t limit) {
  delete reinterpret_cast<LimitedArena *>(limit);
  LimitedArena::current = nullptr;
}

// Graphs.

static void run_node(counter_graph *counters, int64_t index) {
  auto *group = static_cast<tbb::task_group *>(counters->system);
  auto &node = counters->nodes[index];
  native_graph_run_body(counters->graph, index);
  for (uint32_t edge = 0; edge < node.count; edge++) {
    uint32_t successor = node.successors[edge];
    if (counter_node_arrive(&counters->nodes[successor]))
      group->run([counters, successor] { run_node(counters, successor); });
  }
}

uintptr_t onetbb_group_build(uintptr_t graph) {
  return reinterpret_cast<uintptr_t>(counter_graph_make(graph, new tbb::task_group));
}

void onetbb_group_run(uintptr_t program) {
  auto *counters = reinterpret_cast<counter_graph *>(program);
  auto *group = static_cast<tbb::task_group *>(counters->system);
  inArena([counters, group] {
    for (int64_t node = 0; node < counters->graph->count; node++)
      if (counter_graph_is_root(counters, node)) group->run([counters, node] { run_node(counters, node); });
    group->wait();
  });
}

void onetbb_group_drop(uintptr_t program) {
  auto *counters = reinterpret_cast<counter_graph *>(program);
  delete static_cast<tbb::task_group *>(counters->system);
  counter_graph_drop(counters);
}

// Closures.

void onetbb_group_independent(uintptr_t slots, int64_t count) {
  inArena([slots, count] {
    tbb::task_group group;
    for (int64_t index = 0; index < count; index++) group.run([slots, index] { cslots_increment(slots, index); });
    group.wait();
  });
}

static uint64_t fibonacci(int64_t argument) {
  if (argument < 2) return static_cast<uint64_t>(argument);
  uint64_t spawned = 0;
  tbb::task_group group;
  group.run([&spawned, argument] { spawned = fibonacci(argument - 1); });
  uint64_t inPlace = fibonacci(argument - 2);
  group.wait();
  return spawned + inPlace;
}

uint64_t onetbb_group_fibonacci(int64_t argument) {
  return inArena([argument] { return fibonacci(argument); });
}

// Cancellation.

namespace {
struct Gate {
  std::mutex lock;
  std::condition_variable changed;
  int32_t waiting = 0;
  bool isOpen = false;

  void pass() {
    std::unique_lock guard(lock);
    waiting++;
    changed.notify_all();
    changed.wait(guard, [this] { return isOpen; });
  }
  void awaitWaiters(int32_t count) {
    std::unique_lock guard(lock);
    changed.wait(guard, [this, count] { return waiting == count; });
  }
  void open() {
    std::unique_lock guard(lock);
    isOpen = true;
    changed.notify_all();
  }
};

struct Pending {
  // The holding tasks are of a group that is not cancelled: they must not be dropped before they hold.
  tbb::task_group holders;
  tbb::task_group group;
  Gate gate;
};
}  // namespace

uintptr_t onetbb_cancel_build(uintptr_t slots, int64_t count, int32_t workers) {
  auto *pending = new Pending;
  inArena([=] {
    for (int32_t holder = 1; holder < workers; holder++) pending->holders.run([pending] { pending->gate.pass(); });
    pending->gate.awaitWaiters(workers - 1);
    for (int64_t index = 0; index < count; index++)
      pending->group.run([slots, index] { cslots_increment(slots, index); });
  });
  return reinterpret_cast<uintptr_t>(pending);
}

void onetbb_cancel_run(uintptr_t program) {
  auto *pending = reinterpret_cast<Pending *>(program);
  inArena([pending] {
    pending->group.cancel();
    pending->gate.open();
    pending->group.wait();
    pending->holders.wait();
  });
}

void onetbb_cancel_drop(uintptr_t program) { delete reinterpret_cast<Pending *>(program); }

// Latency.

namespace {
struct Arena {
  tbb::task_arena arena;
  explicit Arena(int32_t workers) : arena(workers, 0) {}
};
}  // namespace

uintptr_t onetbb_arena_open(int32_t workers) { return reinterpret_cast<uintptr_t>(new Arena(workers)); }

uint64_t onetbb_arena_sample(uintptr_t handle, uintptr_t stamps, uintptr_t slots, int64_t sample) {
  auto *arena = reinterpret_cast<Arena *>(handle);
  std::mutex lock;
  std::condition_variable changed;
  bool isDone = false;
  uint64_t submitted = native_clock();
  arena->arena.enqueue([&] {
    cstamps_write(stamps, sample, native_clock());
    cslots_increment(slots, sample);
    // The lock is held until the waiter may go: what it guards lives on the waiter's stack.
    std::unique_lock guard(lock);
    isDone = true;
    changed.notify_all();
  });
  std::unique_lock guard(lock);
  changed.wait(guard, [&isDone] { return isDone; });
  return submitted;
}

void onetbb_arena_close(uintptr_t arena) { delete reinterpret_cast<Arena *>(arena); }
#endif
