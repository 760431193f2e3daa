// SPDX-License-Identifier: Apache-2.0
// Local alignment of two sequences (Smith and Waterman, 1981) in square blocks.
#pragma once
#include <stdint.h>

/// Two random sequences of `blocks` times `size` letters and a table of scores. Returns 0 when there is no memory.
uintptr_t calign_make(intptr_t blocks, intptr_t size, uint64_t seed);
void calign_drop(uintptr_t alignment);
/// Forgets the scores.
void calign_clear(uintptr_t alignment);
/// Computes a block, after those above and to the left of it; returns its greatest score.
int32_t calign_block(uintptr_t alignment, intptr_t row, intptr_t column);
/// True when both have the same scores everywhere.
int32_t calign_equal(uintptr_t alignment, uintptr_t other);
