// SPDX-License-Identifier: Apache-2.0
// What a subclass of the class `Operations.Operation` overrides. A class is the address that identifies it.
#pragma once
#include <stdint.h>

/// Bits of the answer; a class is aligned so that they are free in its address.
#define SHIM_OVERRIDES_START 1
/// `isReady` or `isFinished`.
#define SHIM_OVERRIDES_FLAGS 2
#define SHIM_OVERRIDES_CANCEL 4
#define SHIM_OVERRIDES_ANY 7

/// The classes asked for last, each in the only place that it can have, with its answer in the lowest bits; 0 for none.
#define SHIM_KNOWN_CLASSES 128
#define SHIM_PLACE_OF_CLASS(subclass) ((subclass) >> 4 & (SHIM_KNOWN_CLASSES - 1))
extern uintptr_t shim_known_classes[SHIM_KNOWN_CLASSES];

/// Asks Swift's runtime, and remembers the answer.
uintptr_t shim_find_overrides(uintptr_t subclass);

static inline uintptr_t shim_overrides(uintptr_t subclass) {
  // relaxed: the word says all there is to know.
  uintptr_t known = __atomic_load_n(&shim_known_classes[SHIM_PLACE_OF_CLASS(subclass)], __ATOMIC_RELAXED) ^ subclass;
  return known <= SHIM_OVERRIDES_ANY ? known : shim_find_overrides(subclass);
}
/// 1 when the class has a `start()` of its own.
static inline int shim_overrides_start(uintptr_t subclass) {
  return (shim_overrides(subclass) & SHIM_OVERRIDES_START) != 0;
}
/// 1 when it has a `start()`, an `isReady` or an `isFinished` of its own.
static inline int shim_overrides_start_or_flags(uintptr_t subclass) {
  return (shim_overrides(subclass) & (SHIM_OVERRIDES_START | SHIM_OVERRIDES_FLAGS)) != 0;
}
/// 1 when it has a `cancel()` of its own.
static inline int shim_overrides_cancel(uintptr_t subclass) {
  return (shim_overrides(subclass) & SHIM_OVERRIDES_CANCEL) != 0;
}
