// SPDX-License-Identifier: Apache-2.0
#pragma once
#ifdef BENCH_ONETBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

/// What `onetbb_open` holds: the limit for the whole process, and an arena, since the one that oneTBB makes by itself
/// has no more slots than there are CPUs.
struct LimitedArena {
  tbb::global_control limit;
  tbb::task_arena arena;

  explicit LimitedArena(int32_t workers)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(workers)), arena(workers) {}

  /// The one that was opened last; programs run one at a time, on one thread.
  static LimitedArena *current;
};

/// Runs a part of a program in the arena, with the calling thread as one of the workers.
template <class Body>
auto inArena(const Body &body) {
  return LimitedArena::current->arena.execute(body);
}
#endif
