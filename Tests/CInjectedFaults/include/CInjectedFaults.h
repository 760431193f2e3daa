// SPDX-License-Identifier: Apache-2.0
// Calls of the system that fail when they are told to: a program that links this has them in the place of the C library's.
#pragma once
#include <stdint.h>

/// Which calls.
enum injected_kind {
  /// pthread_create.
  INJECTED_THREAD,
  /// posix_memalign of blocks aligned to a pair of cache lines or more.
  INJECTED_MEMORY,
  /// FUTEX_WAIT; the error 0 is a spurious wake-up.
  INJECTED_FUTEX,
  /// membarrier.
  INJECTED_BARRIER,
};

/// From now on the call of this kind with the number `number`, counted from 1, fails with `error`,
/// and, if `step` is not 0, those `step`, 2 `step`, … later. Before there are other threads.
void injected_fault(enum injected_kind kind, int error, int64_t number, int64_t step);
/// Calls of that kind so far.
int64_t injected_calls(void);
