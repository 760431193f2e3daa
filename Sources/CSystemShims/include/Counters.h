// SPDX-License-Identifier: Apache-2.0
// Events that the kernel and the processor count, by perf_event_open(2).
#pragma once
#include <linux/perf_event.h>
#include <stdint.h>

/// Opens a counter of a thread of this process, 0 for the calling one, and of every thread that it and those start from
/// now on; it counts nothing before `shim_counter_start`. Events in the kernel and in a hypervisor are left out, which
/// takes the fewest rights.
///
/// `type` and `config` are those of `struct perf_event_attr`. Returns a descriptor that ends with exec, or -errno.
int shim_counter_open(uint32_t type, uint64_t config, int32_t thread);
/// Lets it count on all these threads; 0, or errno.
int shim_counter_start(int descriptor);
/// Ends that; 0, or errno.
int shim_counter_stop(int descriptor);

/// What a counter has seen, summed over its threads.
struct shim_count {
  uint64_t value;
  /// Nanoseconds for which it was to count, and for which it did: less where others had the processor's counters.
  uint64_t wanted_ns;
  uint64_t counted_ns;
};
/// Reads it; 0, or errno.
int shim_counter_read(int descriptor, struct shim_count *count);

/// Writes the numbers of the threads that this process has, as many as there is room for. Returns how many there are; 0
/// where the kernel does not say.
int32_t shim_threads(int32_t *numbers, int32_t capacity);
