// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "MachineProbes.h"

#include "CSystemShims.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

enum { MOST_ROUNDS = 1000 };

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return values[count / 2];
}

// One sleeper, woken `rounds` times. `turn` is the futex; `asleep` says that the sleeper is about to wait.
struct sleeper {
  atomic_uint turn;
  atomic_int asleep;
  atomic_ullong woken_at;
  int rounds;
};

static void *sleep_and_stamp(void *argument) {
  struct sleeper *self = argument;
  for (unsigned round = 0; round < (unsigned)self->rounds; round++) {
    atomic_store(&self->asleep, 1);
    while (atomic_load(&self->turn) == round) shim_futex_wait((const void *)&self->turn, round, -1);
    atomic_store(&self->woken_at, shim_monotonic_ns());
  }
  return 0;
}

int64_t shim_wakeup_cost_ns(int rounds) {
  static const uint64_t settle_ns = 50000;
  double samples[MOST_ROUNDS];
  if (rounds < 1 || rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
  struct sleeper sleeper = {.rounds = rounds};
  pthread_t thread;
  if (pthread_create(&thread, 0, sleep_and_stamp, &sleeper) != 0) return -1;
  for (int round = 0; round < rounds; round++) {
    while (!atomic_load(&sleeper.asleep)) sched_yield();
    // The sleeper has announced its wait; this is the time that it gets to begin it, and its CPU to go idle.
    for (uint64_t end = shim_monotonic_ns() + settle_ns; shim_monotonic_ns() < end;) shim_pause();
    atomic_store(&sleeper.asleep, 0);
    atomic_store(&sleeper.woken_at, 0);
    uint64_t start = shim_monotonic_ns();
    atomic_fetch_add(&sleeper.turn, 1);
    shim_futex_wake((const void *)&sleeper.turn, 1);
    uint64_t woken;
    while ((woken = atomic_load(&sleeper.woken_at)) == 0) sched_yield();
    samples[round] = (double)(woken - start);
  }
  pthread_join(thread, 0);
  return (int64_t)median(samples, rounds);
}

struct spinner {
  atomic_int *waiting;
  uint64_t window_ns;
  double rate;
};

static void *spin(void *argument) {
  struct spinner *self = argument;
  atomic_fetch_sub(self->waiting, 1);
  while (atomic_load(self->waiting) > 0) sched_yield();
  // Eight independent chains: one chain would leave room for a sibling and hide it.
  uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, count = 0;
  uint64_t start = shim_monotonic_ns(), now = start;
  while (now - start < self->window_ns) {
    for (int i = 0; i < 256; i++) {
      a = a * 3 + 1, b = b * 5 + 1, c = c * 7 + 1, d = d * 9 + 1;
      e = (e ^ (e >> 7)) + 1, f = (f ^ (f >> 9)) + 1, g = (g ^ (g >> 11)) + 1, h = (h ^ (h >> 13)) + 1;
      __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
      __asm__ volatile("" : "+r"(e), "+r"(f), "+r"(g), "+r"(h));
    }
    count++;
    now = shim_monotonic_ns();
  }
  self->rate = (double)count / (double)(now - start);
  return 0;
}

// Work per nanosecond of so many threads together, or a negative number.
static double spin_rate(int threads, uint64_t window_ns) {
  struct spinner *spinners = calloc((size_t)threads, sizeof *spinners);
  pthread_t *ids = calloc((size_t)threads, sizeof *ids);
  atomic_int waiting = threads;
  int started = 1;
  double rate = -1;
  if (!spinners || !ids) goto end;
  for (int i = 0; i < threads; i++) spinners[i] = (struct spinner){&waiting, window_ns, 0};
  while (started < threads && pthread_create(&ids[started], 0, spin, &spinners[started]) == 0) started++;
  // Those that could not be started are not waited for; what the others do is no figure then.
  atomic_fetch_sub(&waiting, threads - started);
  spin(&spinners[0]);
  for (int i = 1; i < started; i++) pthread_join(ids[i], 0);
  if (started < threads) goto end;
  rate = 0;
  for (int i = 0; i < threads; i++) rate += spinners[i].rate;
end:
  free(spinners);
  free(ids);
  return rate;
}

double shim_thread_speedup(int threads, int rounds, uint64_t window_ns) {
  double ratios[MOST_ROUNDS];
  if (rounds < 1 || rounds > MOST_ROUNDS) rounds = MOST_ROUNDS;
  for (int round = 0; round < rounds; round++) {
    double one = spin_rate(1, window_ns), all = spin_rate(threads, window_ns);
    if (one < 0 || all < 0) return -1;
    ratios[round] = all / one;
  }
  return median(ratios, rounds);
}

void shim_hypervisor(char *name, uint64_t capacity) {
  if (capacity > 0) name[0] = 0;
#if defined(__x86_64__) || defined(__i386__)
  enum { HYPERVISOR_BIT = 31, HYPERVISOR_LEAF = 0x40000000 };
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> HYPERVISOR_BIT & 1)) return;
  unsigned signature[4] = {0};
  __cpuid(HYPERVISOR_LEAF, a, signature[0], signature[1], signature[2]);
  snprintf(name, capacity, "%s", signature[0] ? (const char *)signature : "unknown");
#endif
}

int shim_sanitizer(void) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  return 1;
#elif __has_feature(thread_sanitizer)
  return 2;
#endif
#endif
  return 0;
}
