// SPDX-License-Identifier: Apache-2.0
// Clocks, counters and the black hole: what one measurement reads.
#pragma once
#include <stdint.h>

/// CLOCK_MONOTONIC in nanoseconds.
uint64_t shim_monotonic_ns(void);
/// CPU time of every thread of this process in nanoseconds (CLOCK_PROCESS_CPUTIME_ID).
uint64_t shim_process_cpu_ns(void);

/// What the kernel counted for every thread of this process so far.
struct shim_usage {
  int64_t voluntary_switches;
  int64_t involuntary_switches;
  /// Page faults without and with reading from a device.
  int64_t minor_faults;
  int64_t major_faults;
  /// Processor time in microseconds, which the kernel divides by samples.
  int64_t user_us;
  int64_t system_us;
};
struct shim_usage shim_usage(void);
/// Processor time of this process, and of its children and theirs that have ended and were reaped, in nanoseconds.
int64_t shim_family_cpu_ns(void);

/// Does nothing, in another translation unit, so that the compiler must produce `word`.
void shim_black_hole(uintptr_t word);
