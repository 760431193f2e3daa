// SPDX-License-Identifier: Apache-2.0
// Facts about the process and the machine that Swift cannot ask for with values alone.
#pragma once
#include <stdint.h>

/// Reads the beginning of a file. Returns the count, or -errno.
int64_t shim_read_file(const char *path, void *buffer, uint64_t capacity);
/// Largest resident set of this process image in bytes, or -1. Unlike rusage it never shows the parent's.
int64_t shim_peak_rss(void);

/// Threads of this process that run or could run, the calling one apart; -1 when the kernel does not
/// tell.
int32_t shim_awake_threads(void);
