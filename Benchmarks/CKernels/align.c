// SPDX-License-Identifier: Apache-2.0
#include "CAlign.h"
#include <stdlib.h>
#include <string.h>

// What a letter that is the same, another one, and a gap count.
enum { MATCH = 2, MISMATCH = -1, GAP = -1 };

struct alignment {
  intptr_t count, size;
  // Letters of both sequences.
  uint8_t *first, *second;
  // count + 1 rows of count + 1 scores; the first row and column stay 0.
  int32_t *scores;
};

static struct alignment *of(uintptr_t handle) { return (struct alignment *)handle; }

static size_t cells(const struct alignment *alignment) {
  return (size_t)(alignment->count + 1) * (size_t)(alignment->count + 1);
}

uintptr_t calign_make(intptr_t blocks, intptr_t size, uint64_t seed) {
  struct alignment *alignment = malloc(sizeof *alignment);
  if (!alignment) return 0;
  intptr_t count = blocks * size;
  *alignment = (struct alignment){count, size, malloc((size_t)count), malloc((size_t)count), NULL};
  alignment->scores = calloc(cells(alignment), sizeof(int32_t));
  if (!alignment->first || !alignment->second || !alignment->scores) {
    calign_drop((uintptr_t)alignment);
    return 0;
  }
  uint64_t state = seed;
  for (intptr_t place = 0; place < 2 * count; place++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    (place < count ? alignment->first : alignment->second)[place % count] = (uint8_t)(state >> 62);
  }
  return (uintptr_t)alignment;
}

void calign_drop(uintptr_t handle) {
  free(of(handle)->first);
  free(of(handle)->second);
  free(of(handle)->scores);
  free(of(handle));
}

void calign_clear(uintptr_t handle) { memset(of(handle)->scores, 0, cells(of(handle)) * sizeof(int32_t)); }

static int32_t greater(int32_t a, int32_t b) { return a > b ? a : b; }

int32_t calign_block(uintptr_t handle, intptr_t row, intptr_t column) {
  const struct alignment *alignment = of(handle);
  intptr_t width = alignment->count + 1, size = alignment->size;
  int32_t best = 0;
  for (intptr_t i = row * size + 1; i <= (row + 1) * size; i++)
    for (intptr_t j = column * size + 1; j <= (column + 1) * size; j++) {
      int32_t *cell = alignment->scores + i * width + j;
      int32_t same = alignment->first[i - 1] == alignment->second[j - 1] ? MATCH : MISMATCH;
      int32_t score = greater(0, cell[-width - 1] + same);
      score = greater(score, greater(cell[-width], cell[-1]) + GAP);
      *cell = score;
      best = greater(best, score);
    }
  return best;
}

int32_t calign_equal(uintptr_t handle, uintptr_t other) {
  return memcmp(of(handle)->scores, of(other)->scores, cells(of(handle)) * sizeof(int32_t)) == 0;
}
