// SPDX-License-Identifier: Apache-2.0
// Short experiments and questions about this machine, for the record beside every figure.
#pragma once
#include <stdint.h>

/// Median nanoseconds from a futex wake on one thread to the first instruction of the other, which was asleep. Uses a
/// second thread for some 100 µs a round. -1 when it cannot be started.
int64_t shim_wakeup_cost_ns(int rounds);

/// Work done by so many spinning threads over work done by one, in the same time, median of `rounds`; some
/// 2 × `window_ns` each. The work keeps several execution units busy, so that two siblings of one core show. -1 when a
/// thread cannot be started.
double shim_thread_speedup(int threads, int rounds, uint64_t window_ns);

/// The hypervisor's signature ("KVMKVMKVM"), or an empty text when there is none or the processor does not tell.
void shim_hypervisor(char *name, uint64_t capacity);
/// 0 for none, 1 when built with AddressSanitizer, 2 with ThreadSanitizer.
int shim_sanitizer(void);
