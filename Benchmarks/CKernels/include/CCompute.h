// SPDX-License-Identifier: Apache-2.0
// Bodies that only take time: of the processor, or of the memory.
#pragma once
#include <stdint.h>

/// A chain of `iterations` multiplications, each of which waits for the one before; its last value.
static inline uint64_t ckernel_compute(uint64_t value, int64_t iterations) {
  for (int64_t turn = 0; turn < iterations; turn++) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    // The compiler cannot look through this; it would make one multiplication of several turns where their number is
    // known to it, and a turn would take less time there than in a body.
    __asm__("" : "+r"(value));
  }
  return value;
}
/// Reads a word of `iterations` cache lines from line `value` on, in turn through all `count` words; adds them up.
/// `count` is a power of 2 and 8 or more; the caller keeps the words.
static inline uint64_t ckernel_memory(uintptr_t words, int64_t count, uint64_t value, int64_t iterations) {
  for (int64_t turn = 0, place = (int64_t)(value * 8); turn < iterations; turn++, place += 8)
    value += ((const uint64_t *)words)[place & (count - 1)];
  return value;
}
