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

static int64_t microseconds(struct timeval time) { return (int64_t)time.tv_sec * 1000000 + time.tv_usec; }

struct shim_usage shim_usage(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (struct shim_usage){usage.ru_nvcsw, usage.ru_nivcsw, usage.ru_minflt, usage.ru_majflt,
                             microseconds(usage.ru_utime), microseconds(usage.ru_stime)};
}

static int64_t processor_us(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
}

int64_t shim_family_cpu_ns(void) { return (processor_us(RUSAGE_SELF) + processor_us(RUSAGE_CHILDREN)) * 1000; }

__attribute__((noinline)) void shim_black_hole(uintptr_t word) { __asm__ volatile("" : : "r"(word) : "memory"); }
