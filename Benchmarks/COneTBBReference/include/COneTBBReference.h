// SPDX-License-Identifier: Apache-2.0
// Programs on oneTBB. Every function that runs something takes part in the work, as oneTBB's waits do.
// Defined only with the package trait OneTBB.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Limits oneTBB to that many threads, the calling one included, until closed. The lowest of several limits counts.
uintptr_t onetbb_open(int32_t workers);
void onetbb_close(uintptr_t limit);

/// A flow graph: one continue_node per node of a native graph, one edge per dependency. Returns a handle.
uintptr_t onetbb_flow_build(uintptr_t graph);
/// Starts the nodes without predecessors and waits until the graph is idle.
void onetbb_flow_run(uintptr_t program);
void onetbb_flow_drop(uintptr_t program);

/// A task_group whose tasks count down their successors and run those that reach zero.
uintptr_t onetbb_group_build(uintptr_t graph);
void onetbb_group_run(uintptr_t program);
void onetbb_group_drop(uintptr_t program);

/// One task of a task_group per slot, which increments it, and waits for all.
void onetbb_group_independent(uintptr_t slots, int64_t count);
/// The Fibonacci number: fib(n - 1) runs in a task_group of the call, fib(n - 2) in place, then the group is waited for.
uint64_t onetbb_group_fibonacci(int64_t argument);

/// A task_group with one pending task per slot; the workers besides the caller are held by tasks that wait.
uintptr_t onetbb_cancel_build(uintptr_t slots, int64_t count, int32_t workers);
/// Cancels the group, lets the held workers go and waits until it is empty.
void onetbb_cancel_run(uintptr_t program);
void onetbb_cancel_drop(uintptr_t program);

/// An arena whose `workers` threads are oneTBB's own.
uintptr_t onetbb_arena_open(int32_t workers);
/// Enqueues one task that stamps and increments the slot of `sample`, and waits for it; the time just before.
uint64_t onetbb_arena_sample(uintptr_t arena, uintptr_t stamps, uintptr_t slots, int64_t sample);
void onetbb_arena_close(uintptr_t arena);

#ifdef __cplusplus
}
#endif
