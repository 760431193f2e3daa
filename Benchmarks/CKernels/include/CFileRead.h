// SPDX-License-Identifier: Apache-2.0
// A body that waits for the kernel.
#pragma once
#include <stdint.h>

/// Opens a small file that every Linux machine has, reads it and closes it. Returns the bytes, or a
/// number below 0.
intptr_t cfile_read(void);
