// SPDX-License-Identifier: Apache-2.0
#include "CSlots.h"
#include <stdlib.h>

uintptr_t cslots_make(intptr_t count) {
  return (uintptr_t)calloc((size_t)count + CSLOTS_HEADER_WORDS, sizeof(uint32_t));
}

uintptr_t cstamps_make(intptr_t count) { return (uintptr_t)calloc((size_t)count, sizeof(uint64_t)); }

void cslots_drop(uintptr_t handle) { free((void *)handle); }
