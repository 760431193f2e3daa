// SPDX-License-Identifier: Apache-2.0
// Whether the system gives what a measuring child will need.
#pragma once
#include <stdint.h>

/// Starts `count` threads that live at the same time, and ends them. Returns 0, or the errno that stopped it, with how
/// many had started.
int shim_start_threads(int count, int *started);
/// Maps that many bytes and unmaps them, if the address space of this process has a limit. Returns 0, or errno.
int shim_map_bytes(uint64_t bytes);
