// SPDX-License-Identifier: Apache-2.0
#include "CSlots.h"
#include <stdlib.h>
#include <string.h>

uintptr_t cslots_make(intptr_t count) {
  return (uintptr_t)calloc((size_t)count + CSLOTS_HEADER_WORDS, sizeof(uint32_t));
}

uintptr_t cstamps_make(intptr_t count) { return (uintptr_t)calloc((size_t)count, sizeof(uint64_t)); }

void cslots_drop(uintptr_t handle) { free((void *)handle); }

uintptr_t ctally_make(void) {
  size_t bytes = CTALLY_STRIPES * CTALLY_WORDS * sizeof(uint64_t);
  void *sums = aligned_alloc(64, bytes);
  if (sums) memset(sums, 0, bytes);
  return (uintptr_t)sums;
}

intptr_t ctally_stripe(void) {
  static intptr_t threads;
  static _Thread_local intptr_t own = -1;
  if (own < 0) own = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED) % CTALLY_STRIPES;
  return own;
}

uint64_t ctally_sum(uintptr_t handle, intptr_t sum) {
  uint64_t total = 0;
  for (intptr_t stripe = 0; stripe < CTALLY_STRIPES; stripe++)
    total += __atomic_load_n((uint64_t *)handle + stripe * CTALLY_WORDS + sum, __ATOMIC_RELAXED);
  return total;
}

uint64_t ctally_greatest(uintptr_t handle) {
  uint64_t most = 0;
  for (intptr_t stripe = 0; stripe < CTALLY_STRIPES; stripe++) {
    uint64_t value = __atomic_load_n((uint64_t *)handle + stripe * CTALLY_WORDS + CTALLY_SUMS, __ATOMIC_RELAXED);
    if (value > most) most = value;
  }
  return most;
}

void ctally_clear(uintptr_t handle) {
  memset((void *)handle, 0, CTALLY_STRIPES * CTALLY_WORDS * sizeof(uint64_t));
}
