// SPDX-License-Identifier: Apache-2.0
// An array of words that bodies sort, and a second one to merge into.
#pragma once
#include <stdint.h>

/// An array of `count` words. Returns 0 when there is no memory.
uintptr_t csorting_make(intptr_t count);
void csorting_drop(uintptr_t array);
/// Fills it with what the seed draws.
void csorting_fill(uintptr_t array, uint64_t seed);
/// Sorts the words from `first` up to `end` in their place.
void csorting_sort(uintptr_t array, intptr_t first, intptr_t end);
/// Merges two sorted runs, `first` up to `middle` and on up to `end`, of the array (`from` 0) or of the second one (1) into
/// the same places of the other.
void csorting_merge(uintptr_t array, int32_t from, intptr_t first, intptr_t middle, intptr_t end);
/// Splits the words from `first` up to `end`, 2 or more, by a pivot that is the median of three; returns the end of the
/// first part. No word before it is greater than one behind; both parts have at least one.
intptr_t csorting_split(uintptr_t array, intptr_t first, intptr_t end);
/// Sum of a hash of every word: the same for every order. `from` as above.
uint64_t csorting_hash(uintptr_t array, int32_t from);
/// Whether the words ascend. `from` as above.
int32_t csorting_is_sorted(uintptr_t array, int32_t from);
