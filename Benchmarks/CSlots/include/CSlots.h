// SPDX-License-Identifier: Apache-2.0
// Memory that the bodies of a workload share. A handle is a plain word, so that a body's closure captures no reference
// count: two counts per operation on one shared object would cost more than many of the schedulers under test.
// Nothing here checks an index; `Slots` and `Stamps` in Swift do so in debug builds.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Zeroed 32-bit slots and one violation count. Returns 0 when there is no memory. `count` is 1 or more.
uintptr_t cslots_make(intptr_t count);
/// Zeroed 64-bit stamps. Returns 0 when there is no memory. `count` is 1 or more.
uintptr_t cstamps_make(intptr_t count);
/// Frees what one of the functions that make something returned.
void cslots_drop(uintptr_t handle);

/// The violation count has a cache line of its own before the slots.
enum { CSLOTS_HEADER_WORDS = 16 };

/// Adds one, not atomically, and returns the new value. One thread at a time per slot.
static inline uint32_t cslots_increment(uintptr_t handle, intptr_t index) {
  return ++((uint32_t *)handle)[CSLOTS_HEADER_WORDS + index];
}
/// Where the slot lies, for systems that pass one pointer to a body. Valid until the slots are dropped.
static inline void *cslots_address(uintptr_t handle, intptr_t index) {
  return (uint32_t *)handle + CSLOTS_HEADER_WORDS + index;
}
/// The slot's value. The caller is ordered after the last increment, else the value is wrong, which is the point.
static inline uint32_t cslots_read(uintptr_t handle, intptr_t index) {
  return ((uint32_t *)handle)[CSLOTS_HEADER_WORDS + index];
}
/// Sets a slot.
static inline void cslots_write(uintptr_t handle, intptr_t index, uint32_t value) {
  ((uint32_t *)handle)[CSLOTS_HEADER_WORDS + index] = value;
}
/// Counts an operation that started before one of its predecessors had run. Any thread.
static inline void cslots_count_violation(uintptr_t handle) {
  __atomic_fetch_add((uint32_t *)handle, 1, __ATOMIC_RELAXED);
}
/// How many were counted.
static inline uint32_t cslots_violations(uintptr_t handle) {
  return __atomic_load_n((uint32_t *)handle, __ATOMIC_RELAXED);
}

/// Zeroed sums in so many stripes. Returns 0 when there is no memory.
uintptr_t ctally_make(void);
/// Which stripe the calling thread adds to.
intptr_t ctally_stripe(void);

/// Sums of a stripe, and a greatest value; a stripe has a cache line of its own.
enum { CTALLY_STRIPES = 64, CTALLY_SUMS = 3, CTALLY_WORDS = 8 };

/// Adds to a sum, 0 to CTALLY_SUMS - 1. Any thread; threads share a stripe only when there are more of them than stripes.
static inline void ctally_add(uintptr_t handle, intptr_t stripe, intptr_t sum, uint64_t value) {
  __atomic_fetch_add((uint64_t *)handle + stripe * CTALLY_WORDS + sum, value, __ATOMIC_RELAXED);
}
/// Raises the greatest value of a stripe to `value`. Any thread.
static inline void ctally_raise(uintptr_t handle, intptr_t stripe, uint64_t value) {
  uint64_t *place = (uint64_t *)handle + stripe * CTALLY_WORDS + CTALLY_SUMS;
  uint64_t seen = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (seen < value &&
         !__atomic_compare_exchange_n(place, &seen, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
/// A sum over all stripes; the caller is ordered after whoever added.
uint64_t ctally_sum(uintptr_t handle, intptr_t sum);
/// The greatest value of all stripes; the caller is ordered after whoever raised it.
uint64_t ctally_greatest(uintptr_t handle);
/// Sets everything to 0.
void ctally_clear(uintptr_t handle);

/// Sets a stamp. One thread at a time per stamp.
static inline void cstamps_write(uintptr_t handle, intptr_t index, uint64_t value) {
  ((uint64_t *)handle)[index] = value;
}
/// The stamp's value.
static inline uint64_t cstamps_read(uintptr_t handle, intptr_t index) {
  return ((uint64_t *)handle)[index];
}

#ifdef __cplusplus
}
#endif
