// SPDX-License-Identifier: Apache-2.0
// The random states of an unbalanced tree: each node's is the SHA-1 of its parent's and its own number among the
// children, so that any thread finds the same tree in any order. The hash is that of libcrypto, found at run time.
#pragma once
#include <stdint.h>

/// The 20 bytes of a digest, as they lie in memory.
typedef struct { uint8_t bytes[20]; } ctree_state;

/// Finds libcrypto; 0 when there is none. Call it before the other functions; any thread, any number of times.
int ctree_load(void);

/// The state of a root: the digest of 16 zero bytes and the seed, most significant byte first.
ctree_state ctree_root(uint32_t seed);

/// The state of child `number`, from 0: the digest of the parent's state and the number, most significant byte first.
ctree_state ctree_child(ctree_state parent, uint32_t number);

/// The random number of a state, 0 to 2^31 - 1: its last four bytes, most significant first, without the sign.
static inline uint32_t ctree_random(ctree_state state) {
  return ((uint32_t)state.bytes[16] << 24 | (uint32_t)state.bytes[17] << 16 | (uint32_t)state.bytes[18] << 8 |
          state.bytes[19]) & 0x7fffffff;
}

/// Eight bytes of the state, for a checksum of a whole tree.
static inline uint64_t ctree_word(ctree_state state) {
  uint64_t word = 0;
  for (int place = 0; place < 8; place++) word = word << 8 | state.bytes[place];
  return word;
}
