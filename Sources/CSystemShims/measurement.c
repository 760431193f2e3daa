// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "Measurement.h"

#include <sys/resource.h>
#include <time.h>

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t shim_monotonic_ns(void) { return nanoseconds(CLOCK_MONOTONIC); }

uint64_t shim_process_cpu_ns(void) { return nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }

struct shim_switches shim_switches(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (struct shim_switches){usage.ru_nvcsw, usage.ru_nivcsw};
}

__attribute__((noinline)) void shim_black_hole(uintptr_t word) { __asm__ volatile("" : : "r"(word) : "memory"); }
