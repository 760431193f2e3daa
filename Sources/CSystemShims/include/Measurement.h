// SPDX-License-Identifier: Apache-2.0
// Clocks, counters and the black hole: what one measurement reads.
#pragma once
#include <stdint.h>

/// CLOCK_MONOTONIC in nanoseconds.
uint64_t shim_monotonic_ns(void);
/// CPU time of every thread of this process in nanoseconds (CLOCK_PROCESS_CPUTIME_ID).
uint64_t shim_process_cpu_ns(void);

/// Context switches of every thread of this process so far.
struct shim_switches {
  int64_t voluntary;
  int64_t involuntary;
};
struct shim_switches shim_switches(void);

/// Does nothing, in another translation unit, so that the compiler must produce `word`.
void shim_black_hole(uintptr_t word);
