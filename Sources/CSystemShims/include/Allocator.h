// SPDX-License-Identifier: Apache-2.0
// Which allocator serves this process.
#pragma once
#include <stdint.h>

/// Copies jemalloc's version into `version` (always terminated). Returns 1 when it is in the process and one malloc
/// moved its per-thread counter, 2 when it is there but does not serve malloc, 0 when it is not there.
int shim_jemalloc(char *version, uint64_t capacity);
/// 1 when jemalloc's thread cache is on, 0 when off, -1 when there is no jemalloc.
int shim_jemalloc_thread_cache(void);
/// Nanoseconds that one refresh of jemalloc's statistics takes, or -1 when there is no jemalloc.
int64_t shim_jemalloc_epoch_ns(void);
/// The C library's name and version, for instance "glibc 2.36".
void shim_c_library(char *name, uint64_t capacity);
/// Bytes that the program holds of the C library's own allocator, in all arenas; -1 where that library does not tell.
int64_t shim_live_bytes(void);
/// What malloc and its kin gave in this process: calls, and bytes in the allocator's size classes.
typedef struct {
  uint64_t count;
  uint64_t bytes;
} shim_allocations;
/// Everything given so far, by all threads; exact while no thread has a cache. Returns 0, or -1 when there is no jemalloc
/// or a cache is on. Asks for nothing itself; takes some 0.1 ms.
int shim_allocations_now(shim_allocations *given);
/// Has a fresh thread ask for `count` blocks of `size` bytes, and reads what was counted while it lived. Returns 0, -1 as
/// above, or -2 when the thread cannot be started.
int shim_allocations_counted(uint64_t count, uint64_t size, shim_allocations *counted);
/// 1 when a library is loaded in this process whose path contains `part`, else 0.
int shim_is_loaded(const char *part);
