// SPDX-License-Identifier: Apache-2.0
#include "CSorting.h"
#include <stdlib.h>

struct array {
  intptr_t count;
  uint64_t *words[2];
};

static struct array *of(uintptr_t handle) { return (struct array *)handle; }

uintptr_t csorting_make(intptr_t count) {
  struct array *array = malloc(sizeof *array);
  if (!array) return 0;
  *array = (struct array){count, {malloc((size_t)count * 8), malloc((size_t)count * 8)}};
  if (array->words[0] && array->words[1]) return (uintptr_t)array;
  csorting_drop((uintptr_t)array);
  return 0;
}

void csorting_drop(uintptr_t handle) {
  free(of(handle)->words[0]);
  free(of(handle)->words[1]);
  free(of(handle));
}

// The finalizer of SplitMix64.
static uint64_t mixed(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return value ^ value >> 31;
}

void csorting_fill(uintptr_t handle, uint64_t seed) {
  for (intptr_t place = 0; place < of(handle)->count; place++) of(handle)->words[0][place] = mixed(seed + (uint64_t)place);
}

// By insertion; for short runs.
static void insert(uint64_t *words, intptr_t count) {
  for (intptr_t place = 1; place < count; place++) {
    uint64_t word = words[place];
    intptr_t to = place;
    for (; to > 0 && words[to - 1] > word; to--) words[to] = words[to - 1];
    words[to] = word;
  }
}

// The end of the first part; both have at least one word.
static intptr_t split(uint64_t *words, intptr_t count) {
  uint64_t a = words[0], b = words[count / 2], c = words[count - 1];
  uint64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
  intptr_t low = -1, high = count;
  for (;;) {
    do low++; while (words[low] < pivot);
    do high--; while (words[high] > pivot);
    if (low >= high) break;
    uint64_t word = words[low];
    words[low] = words[high];
    words[high] = word;
  }
  // With the greatest word as pivot, of two words for instance, all would lie in the first part.
  return high + 1 < count ? high + 1 : count - 1;
}

static void sort(uint64_t *words, intptr_t count) {
  while (count > 24) {
    intptr_t middle = split(words, count);
    sort(words, middle);
    words += middle;
    count -= middle;
  }
  insert(words, count);
}

void csorting_sort(uintptr_t handle, intptr_t first, intptr_t end) { sort(of(handle)->words[0] + first, end - first); }

intptr_t csorting_split(uintptr_t handle, intptr_t first, intptr_t end) {
  return first + split(of(handle)->words[0] + first, end - first);
}

void csorting_merge(uintptr_t handle, int32_t from, intptr_t first, intptr_t middle, intptr_t end) {
  const uint64_t *source = of(handle)->words[from];
  uint64_t *target = of(handle)->words[!from];
  intptr_t left = first, right = middle;
  for (intptr_t place = first; place < end; place++)
    target[place] = right == end || (left < middle && source[left] <= source[right]) ? source[left++] : source[right++];
}

uint64_t csorting_hash(uintptr_t handle, int32_t from) {
  uint64_t sum = 0;
  for (intptr_t place = 0; place < of(handle)->count; place++) sum += mixed(of(handle)->words[from][place]);
  return sum;
}

int32_t csorting_is_sorted(uintptr_t handle, int32_t from) {
  const uint64_t *words = of(handle)->words[from];
  for (intptr_t place = 1; place < of(handle)->count; place++)
    if (words[place - 1] > words[place]) return 0;
  return 1;
}
